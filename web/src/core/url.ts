// Pages and their state as addresses, so that reload, back and a link in a mail all give the same view.

export type Page =
  | "machine" | "live" | "runs" | "records" | "compare" | "history" | "catalogue" | "changes" | "start" | "unknown";

export interface Place {
  page: Page;
  /** The rest of the path, decoded: a record's number, a kind and an id. */
  rest: string[];
  query: URLSearchParams;
}

const PAGES: readonly string[] = [
  "machine", "live", "runs", "records", "compare", "history", "catalogue", "changes", "start",
];

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads an address without its host. */
export function parsePlace(path: string, search: string): Place {
  const [first, ...rest] = path.split("/").filter((part) => part !== "").map(decoded);
  const page = first === undefined ? "machine" : PAGES.includes(first) ? (first as Page) : "unknown";
  return { page, rest, query: new URLSearchParams(search) };
}

/** An address of this page; parts are encoded, empty values left out. */
export function address(page: Page, rest: readonly (string | number)[] = [], query: Record<string, unknown> = {}): string {
  const path = ["", page, ...rest.map((part) => encodeURIComponent(String(part)))].join("/");
  const search = withQuery(new URLSearchParams(), query);
  return search ? `${path}?${search}` : path;
}

/** A query with some values changed; empty ones are taken out. */
export function withQuery(query: URLSearchParams, changes: Record<string, unknown>): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === null || value === "" || value === false) changed.delete(name);
    else changed.set(name, String(value));
  }
  // Commas and colons need no escape in a query, and people read these.
  return changed.toString().replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
}

/** What records can be filtered by, as the server names it. */
export const FILTERS = ["text", "host", "device", "verb", "job", "tag", "since", "until"] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Partial<Record<FilterName, string>>;

/** The filter that a query holds. */
export function filterOf(query: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const name of FILTERS) {
    const value = query.get(name)?.trim();
    if (value) filter[name] = value;
  }
  return filter;
}

/**
 * Reads what somebody types into the filter: `device:nvme0n1 tag:"before the change" slow` is a device, a tag and the
 * text `slow`. A word with an unknown name is text, as it stands.
 */
export function parseFilter(line: string): Filter {
  const filter: Filter = {};
  const text: string[] = [];
  for (const match of line.matchAll(/(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)) {
    const [whole, name, quoted, plain] = match;
    const value = quoted ?? plain ?? "";
    if (name && name !== "text" && (FILTERS as readonly string[]).includes(name)) filter[name as FilterName] = value;
    else text.push(name === "text" || !name ? value : whole);
  }
  if (text.length) filter.text = text.join(" ");
  return filter;
}

/** The line that [`parseFilter`] reads back. */
export function filterLine(filter: Filter): string {
  const quote = (value: string) => (/\s/.test(value) ? `"${value}"` : value);
  const named = FILTERS.filter((name) => name !== "text" && filter[name]).map((name) => `${name}:${quote(filter[name]!)}`);
  return [...named, ...(filter.text ? [filter.text] : [])].join(" ");
}

/**
 * A moment as people write it, as milliseconds since 1970: `2026-11-21`, `2026-11-21T22:45`, `7d` or `12h` ago. None where
 * it is none of these.
 */
export function momentMs(text: string, nowMs: number): number | null {
  const ago = /^(\d+)([dh])$/.exec(text);
  if (ago) return nowMs - Number(ago[1]) * { d: 86_400_000, h: 3_600_000 }[ago[2] as "d" | "h"];
  // A date without a time is a day of the reader's own zone, not of Greenwich.
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00`) : /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at;
}

/** `7,9,12` → numbers; what is none is left out, and each is taken once. */
export function idList(text: string | null): number[] {
  const ids = (text ?? "").split(",").map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return [...new Set(ids)];
}

/** `5m`, `90s`, `1h` → seconds. */
export function spanSeconds(text: string | null, otherwise: number): number {
  const found = /^(\d+)([smh])$/.exec(text ?? "");
  if (!found) return otherwise;
  return Number(found[1]) * { s: 1, m: 60, h: 3600 }[found[2] as "s" | "m" | "h"];
}
