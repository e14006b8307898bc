// The keys, in one table that both the handler and the sheet read.

import { useEffect, useRef } from "preact/hooks";

export interface Key {
  /** As pressed: `g m`, `/`, `Shift+ArrowLeft`. */
  keys: string;
  words: string;
  where: string;
}

export const KEYS: Key[] = [
  { keys: "?", words: "this sheet", where: "everywhere" },
  { keys: "g m", words: "the machine", where: "everywhere" },
  { keys: "g l", words: "live", where: "everywhere" },
  { keys: "g r", words: "records", where: "everywhere" },
  { keys: "g c", words: "the catalogue", where: "everywhere" },
  { keys: "g h", words: "history", where: "everywhere" },
  { keys: "/", words: "the filter or search of the page", where: "everywhere" },
  { keys: "j", words: "next row", where: "lists" },
  { keys: "k", words: "row before", where: "lists" },
  { keys: "x", words: "select the row", where: "records" },
  { keys: "Enter", words: "open the row", where: "lists" },
  { keys: "c", words: "compare what is selected", where: "records" },
  { keys: "← →", words: "move the cursor, with Shift ten steps", where: "charts, after Tab" },
  { keys: "+ − 0", words: "a shorter or longer time, or all of it", where: "charts, after Tab" },
  { keys: "a d", words: "earlier, later", where: "charts of a record" },
  { keys: "v", words: "the map by count or by time waited", where: "live" },
  { keys: "t", words: "table or picture", where: "charts, after Tab" },
];

const OFF = "iodyno.letters-off";

/** Whether single letters do anything; somebody who dictates switches them off. */
export const areLettersOn = (): boolean => localStorage.getItem(OFF) === null;
export function setLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const actions = new Map<string, () => void>();
let prefix = "";
let prefixTimer = 0;

function pressed(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]") || !areLettersOn()) return;
  if (event.key === "Enter" && (event.target as Element).closest?.("a, button, summary")) return;
  const found = actions.get(prefix ? `${prefix} ${event.key}` : event.key);
  window.clearTimeout(prefixTimer);
  prefix = "";
  if (found) {
    event.preventDefault();
    found();
  } else if (event.key === "g") {
    prefix = "g";
    prefixTimer = window.setTimeout(() => (prefix = ""), 1500);
  }
}

document.addEventListener("keydown", pressed);

/** Binds keys while a part of a page is there. */
export function useKeys(bound: Record<string, () => void>): void {
  const now = useRef(bound);
  now.current = bound;
  useEffect(() => {
    const mine = Object.keys(now.current).map((key) => [key, () => now.current[key]?.()] as const);
    for (const [key, call] of mine) actions.set(key, call);
    return () => {
      for (const [key, call] of mine) if (actions.get(key) === call) actions.delete(key);
    };
  }, []);
}

/** `j` and `k` over the rows of a list: moves the focus to the link or the row itself. */
export function step(selector: string, by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(selector)];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by));
  rows[next].focus();
  rows[next].scrollIntoView({ block: "nearest" });
}
