// The catalogue as the server gives it: every knob, rule, sensor, engine and importer.

import type { Catalogue, CatalogueEntry } from "../core/documents.ts";
import type { Entry } from "../core/search.ts";
import { get } from "./api.ts";

const titleOf = (entry: CatalogueEntry): string => /^#\s+(.*)$/m.exec(entry.page)?.[1] ?? entry.id;

/** Everything, by kind and id. */
export async function entries(signal?: AbortSignal): Promise<Entry[]> {
  const { entries } = await get<Catalogue>("/catalogue", signal);
  return entries.map((entry): Entry => ({ ...entry, title: titleOf(entry) }));
}
