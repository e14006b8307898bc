// The catalogue as the server gives it: every knob, rule, sensor, engine and importer.

import type { Entry } from "../core/search.ts";
import { get } from "./api.ts";

/** An entry as it is sent; its page only where it was asked for. */
export interface Raw {
  kind: string;
  id: string;
  title?: string;
  page?: string;
}

const titleOf = (raw: Raw): string => raw.title ?? /^#\s+(.*)$/m.exec(raw.page ?? "")?.[1] ?? raw.id;

/** Everything, by kind and id. */
export async function entries(signal?: AbortSignal): Promise<Entry[]> {
  const answer = await get<{ entries: Raw[] } | Raw[]>("/catalogue", signal);
  return (Array.isArray(answer) ? answer : answer.entries).map((raw): Entry => ({ ...raw, title: titleOf(raw) }));
}
