import type { Readings } from "../../../../web/src/core/documents.ts";
/** Seconds of the record, from and to. */
export type Span = [number, number];
export interface Stage {
  add(figure: Element, svg: SVGElement, readings: Readings | null | undefined): (() => void) | null;
  zoom(span: Span | null): void;
}
export function stage(told?: { said?: (text: string) => void; changed?: (span: Span | null) => void }): Stage;
export function spanOf(text: string | null | undefined): Span | null;
export function spanText(span: Span): string;
