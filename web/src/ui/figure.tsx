// Figures that the server drew: their claim, the picture, a description, and the numbers as a table.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { spanOf, spanText, stage as newStage, type Stage } from "../../../crates/around/page/assets/figures.js";
import type { Figure, Readings, FigureTable } from "../core/documents.ts";
import { place, setQuery, usePlace } from "./router.ts";

const DROPPED = new Set(["script", "foreignobject", "iframe", "object", "embed", "animate", "set"]);

/** An SVG of the server as elements: no script, no handler, no link out of it, no style attribute (the policy drops those). */
export function parseSvg(text: string): SVGElement | null {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.nodeName.toLowerCase() !== "svg") return null;
  for (const element of [...root.querySelectorAll("*"), root]) {
    if (DROPPED.has(element.nodeName.toLowerCase())) {
      element.remove();
      continue;
    }
    for (const attribute of [...element.attributes]) {
      const name = attribute.name.toLowerCase();
      const isOut = /^(xlink:)?href$/.test(name) && !/^(#|data:image\/png)/.test(attribute.value.trim());
      if (name.startsWith("on") || name === "style" || isOut) element.removeAttribute(attribute.name);
    }
  }
  return document.importNode(root, true) as unknown as SVGElement;
}

/** Where readers of screens hear of the cursor: one place for all pictures of a page. */
let speaker: HTMLElement | null = null;
function said(text: string): void {
  speaker ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "out" }));
  speaker.setAttribute("aria-live", "polite");
  speaker.textContent = text;
}

/** Pictures that share cursor and span; the span stands in the address as `t`. The same script as in a report. */
export function useStage(key: string): Stage {
  const asked = usePlace().query.get("t");
  const kept = useRef<string | null>(null);
  const made = useMemo(() => newStage({
    said,
    changed: (span) => {
      kept.current = span && spanText(span);
      setQuery({ t: kept.current });
    },
  }), [key]);
  useEffect(() => {
    // The address as it is now: a key pressed since this was drawn has changed it again.
    const now = place().query.get("t");
    if (now !== kept.current) made.zoom(spanOf(now));
  }, [asked, made]);
  return made;
}

/** A picture; with a stage its values can be read and, over time, zoomed into. */
export function Svg({ text, label, stage, readings }: { text: string; label: string; stage?: Stage; readings?: Readings | null }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const svg = parseSvg(text);
    if (!box.current || !svg) return;
    if (!svg.hasAttribute("role")) svg.setAttribute("role", "img");
    if (!svg.hasAttribute("aria-label") && !svg.hasAttribute("aria-labelledby")) svg.setAttribute("aria-label", label);
    const [, , width] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
    // Text in a picture shrinks with it; below some width the picture scrolls instead.
    if (width > 0) svg.style.minWidth = `${Math.min(width, 300)}px`;
    svg.style.maxWidth = "100%";
    const frame = Object.assign(document.createElement("div"), { className: "svg" });
    frame.append(svg);
    box.current.replaceChildren(frame);
    const leave = stage?.add(box.current, svg, readings) ?? null;
    if (leave) return () => void leave();
    // Nothing in it takes the focus, and it may be wider than the screen.
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `Picture: ${label}`);
  }, [text, label, stage, readings]);
  return <div class="picture" ref={box} />;
}

export const MOST_ROWS = 60;

export function TableView({ table, title }: { table: FigureTable; title: string }) {
  const [from, setFrom] = useState(0);
  const { head } = table;
  const rows = table.rows.slice(from, from + MOST_ROWS);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Table: ${title}`}>
      <table>
        <thead><tr>{head.map((cell) => <th scope="col">{cell}</th>)}</tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr>{row.map((cell, column) => (column === 0 ? <th scope="row">{cell}</th> : <td class="num">{cell ?? "–"}</td>))}</tr>
          ))}
        </tbody>
      </table>
      {table.note && <p class="dim">{table.note}</p>}
      {table.rows.length > MOST_ROWS && (
        <p class="pager">
          <button type="button" disabled={from === 0} onClick={() => setFrom(from - MOST_ROWS)}>Earlier rows</button>{" "}
          rows {from + 1} to {Math.min(from + MOST_ROWS, table.rows.length)} of {table.rows.length}{" "}
          <button type="button" disabled={from + MOST_ROWS >= table.rows.length} onClick={() => setFrom(from + MOST_ROWS)}>Later rows</button>
        </p>
      )}
    </div>
  );
}

/** Whether there is room for no more than the narrow pictures. */
export function useNarrow(): boolean {
  const query = useMemo(() => window.matchMedia("(max-width: 560px)"), []);
  const [isNarrow, set] = useState(query.matches);
  useEffect(() => {
    const call = () => set(query.matches);
    query.addEventListener("change", call);
    return () => query.removeEventListener("change", call);
  }, [query]);
  return isNarrow;
}

export function FigureView({ figure, stage }: { figure: Figure; stage?: Stage }) {
  const [isTable, setTable] = useState(false);
  const isNarrow = useNarrow();
  if (!figure.svg && figure.absent) {
    return (
      <figure class="card" id={figure.id}>
        <h3>{figure.title}</h3>
        <p class="dim">No picture: {figure.absent}</p>
      </figure>
    );
  }
  const picture = isNarrow && figure.narrow ? figure.narrow : figure.svg;
  const hasRows = !!figure.table && figure.table.rows.length > 0;
  const id = `figure-${figure.id}`;
  return (
    <figure class="card drawn" id={figure.id} onKeyDown={(event) => {
      if (event.key !== "t" || !hasRows || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      setTable(!isTable);
    }}>
      <div class="head">
        <h3 id={id}>{figure.title}</h3>
        {hasRows && (
          <button type="button" class="quiet" data-table aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Picture" : "Table"}
          </button>
        )}
      </div>
      {isTable && hasRows ? <TableView table={figure.table!} title={figure.title} /> : <Svg text={picture} label={figure.title} stage={stage} readings={figure.readings} />}
      {(figure.caption || figure.description) && (
        <figcaption>
          {figure.caption}
          {figure.description && figure.description !== figure.caption && <span class="described">{figure.description}</span>}
        </figcaption>
      )}
    </figure>
  );
}
