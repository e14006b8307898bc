// Finding pages of the catalogue by what somebody types.

import type { CatalogueEntry } from "./documents.ts";

/** An entry of the catalogue with the title of its page. */
export interface Entry extends CatalogueEntry {
  title: string;
}

const words = (text: string): string[] => text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);

/** How well an entry fits: its name before its title before its text; 0 where a word is nowhere. */
export function fit(entry: Entry, query: string): number {
  const wanted = words(query);
  if (!wanted.length) return 1;
  let sum = 0;
  for (const word of wanted) {
    const one = entry.id.toLowerCase() === query.trim().toLowerCase() ? 100
      : entry.id.toLowerCase().includes(word) ? 20
      : entry.title.toLowerCase().includes(word) ? 10
      : entry.kind.includes(word) ? 5
      : entry.page?.toLowerCase().includes(word) ? 1
      : 0;
    if (one === 0) return 0;
    sum += one;
  }
  return sum;
}

/** Steps of typing between two names. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}

/** The three names that are nearest to what found nothing. */
export function nearest(entries: Entry[], query: string): Entry[] {
  const text = query.trim().toLowerCase();
  return [...entries].sort((a, b) => distance(a.id, text) - distance(b.id, text)).slice(0, 3);
}
