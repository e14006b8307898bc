// The I/O path as `iodyno inspect --json` has it, and who set what.

import type { Layer, Owner, Setting } from "./documents.ts";

/** The text of a setting; null where it cannot be read. */
const textOf = ({ value }: Setting): string | null => (typeof value === "object" && "value" in value ? value.value : null);

/** The word in brackets of a list (`none [mq-deadline]`), else the whole text; null where it cannot be read. */
export function chosen(setting: Setting): string | null {
  const text = textOf(setting);
  if (text === null) return null;
  const bracketed = /\[([^\]\s]+)\]/.exec(text);
  return bracketed ? bracketed[1] : text.trim();
}

/** What else could be chosen. */
export function choices(setting: Setting): string[] {
  const text = textOf(setting) ?? "";
  if (!/\[[^\]]+\]/.test(text)) return [];
  return text.split(/\s+/).filter((word) => word && !word.startsWith("["));
}

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));

/** Whether two texts are one value to the kernel. */
export function isSame(one: string, other: string): boolean {
  const plain = (text: string): string => {
    const words = text.trim().split(/\s+/).join(" ");
    return { deadline: "mq-deadline", Y: "1", y: "1", N: "0", n: "0" }[words] ?? words;
  };
  if (isNumber(one) && isNumber(other)) return Number(one) === Number(other);
  return plain(one) === plain(other);
}

export interface SetBy {
  /** One or two words: `kernel`, `udev`, `by hand`. */
  word: string;
  /** Where it says so, where somebody does. */
  place: string;
  /** Others who want another value, so that the last word depends on who acts last. */
  isContested: boolean;
}

const OWNER_WORDS: Record<string, string> = {
  udev_rule: "udev", kernel_command_line: "command line", sysctl_file: "sysctl", iodyno: "iodyno",
};
const ownerWord = (kind: string): string => OWNER_WORDS[kind] ?? kind.replace(/_/g, " ");

/** Who gave a setting its value: the last that wants it, a certain one before a maybe; else the kernel, else a hand. */
export function setBy(setting: Setting): SetBy | null {
  const value = chosen(setting);
  if (value === null) return null;
  const owners = setting.owners ?? [];
  const isCertain = (owner: Owner) => !owner.acts.startsWith("maybe");
  const wishes = owners.filter(isCertain).flatMap((owner) => (owner.wants === null ? [] : [owner.wants]));
  const isContested = wishes.some((wish) => !isSame(wish, wishes[0]));
  const agreeing = owners.filter((owner) => owner.wants !== null && isSame(owner.wants, value)).reverse();
  const by = (owner: Owner): SetBy => ({ word: ownerWord(owner.kind), place: owner.place, isContested });
  const certain = agreeing.find(isCertain);
  if (certain) return by(certain);
  if (setting.default && isSame(setting.default.value, value)) {
    return { word: "kernel", place: setting.default.because, isContested };
  }
  if (agreeing.length) return by(agreeing[0]);
  return setting.default ? { word: "by hand", place: "", isContested } : null;
}

/** The layers from the top down. */
export function walk(layer: Layer): Layer[] {
  return [layer, ...layer.below.flatMap(walk)];
}

/** The settings of a disk's queue that people change, in the order in which `inspect` shows them. */
export const KNOWN_SETTINGS = [
  "scheduler", "nr_requests", "read_ahead_kb", "wbt_lat_usec", "rq_affinity", "nomerges", "max_sectors_kb",
  "write_cache", "rotational", "queue_depth", "io_timeout", "io_poll", "iostats",
];
