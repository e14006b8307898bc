// The catalogue: every knob, rule, sensor, engine and importer with its page.

import { useMemo, useRef } from "preact/hooks";
import { blocks, inline, type Block } from "../core/markdown.ts";
import { fit, nearest, type Entry } from "../core/search.ts";
import { address } from "../core/url.ts";
import { get } from "../net/api.ts";
import type { Page } from "../core/documents.ts";
import { entries } from "../net/catalogue.ts";
import { step, useKeys } from "../ui/keys.ts";
import { useLoad } from "../ui/load.ts";
import { Command, Empty, Shown, Words } from "../ui/parts.tsx";
import { setQuery, usePlace } from "../ui/router.ts";

export function Catalogue() {
  const place = usePlace();
  const [kind, id] = [place.rest[0], place.rest.slice(1).join("/")];
  const query = place.query.get("q") ?? "";
  const list = useLoad("catalogue", entries);
  useKeys({ j: () => step(".list a", 1), k: () => step(".list a", -1) });
  return (
    <Shown of={list} lines={12}>
      {(found) => (
        <>
          <h1>{found.length} things that iodyno knows and can explain</h1>
          <div class={`split${id ? " open" : ""}`}>
            <Index entries={found} query={query} kind={kind} id={id} />
            {id ? <Page kind={kind} id={id} entries={found} /> : <Empty title="Choose one on the left."><p><kbd>/</kbd> searches. On a terminal: <Command line="iodyno explain scheduler" /></p></Empty>}
          </div>
        </>
      )}
    </Shown>
  );
}

/** More than these are counted, not listed: a list of a thousand helps nobody. */
const SHOWN = 200;

function Index({ entries, query, kind, id }: { entries: Entry[]; query: string; kind: string | undefined; id: string }) {
  const timer = useRef(0);
  const found = useMemo(() => {
    const scored = entries.map((entry) => ({ entry, score: fit(entry, query) })).filter((one) => one.score > 0);
    if (query) scored.sort((a, b) => b.score - a.score);
    return scored.map((one) => one.entry);
  }, [entries, query]);
  const search = (text: string) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setQuery({ q: text || null }), 120);
  };
  let before = "";
  return (
    <nav class="index" aria-label="Catalogue">
      <input type="search" data-search aria-label="Search the catalogue" placeholder="search" defaultValue={query} onInput={(event) => search(event.currentTarget.value)} />
      {found.length === 0 && (
        <p class="dim" role="status">Nothing has these words. Nearest: {nearest(entries, query).map((one) => <><a key={one.id} href={address("catalogue", [one.kind, one.id])}>{one.id}</a>{" "}</>)}</p>
      )}
      <div class="list">
        {found.slice(0, SHOWN).map((one) => {
          const isNew = !query && one.kind !== before;
          before = one.kind;
          return (
            <>
              {isNew && <h3 class="dim">{one.kind}</h3>}
              <a key={`${one.kind}/${one.id}`} href={address("catalogue", [one.kind, one.id], { q: query })} aria-current={one.kind === kind && one.id === id ? "page" : undefined}>
                {one.title}<small class="mono">{query ? `${one.kind} ` : ""}{one.id}</small>
              </a>
            </>
          );
        })}
        {found.length > SHOWN && <p class="dim">{found.length - SHOWN} more; type to find them.</p>}
      </div>
    </nav>
  );
}

function Page({ kind, id, entries }: { kind: string; id: string; entries: Entry[] }) {
  const known = entries.find((one) => one.kind === kind && one.id === id);
  const page = useLoad(known?.page ? null : `page ${kind}/${id}`, (signal) =>
    get<Page>(`/catalogue/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`, signal));
  if (!known) {
    return <Empty title={`There is no ${kind} ${id}.`}><p>Nearest: {nearest(entries, id).map((one) => <><a key={one.id} href={address("catalogue", [one.kind, one.id])}>{one.id}</a>{" "}</>)}</p></Empty>;
  }
  const text = known.page ?? page.data?.page;
  return (
    <article class="page card">
      <p class="dim"><a href={address("catalogue")}>Catalogue</a> / {kind}</p>
      {text === undefined ? <Shown of={page}>{() => null}</Shown> : blocks(text).map((block, index) => <BlockView key={index} block={block} />)}
    </article>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.is) {
    case "heading":
      return block.level === 1 ? <h1>{block.text}</h1> : block.level === 2 ? <h2>{block.text}</h2> : <h3><Words parts={inline(block.text)} /></h3>;
    case "text":
      return <p><Words parts={block.parts} /></p>;
    case "list":
      return <ul>{block.items.map((item, index) => <li key={index}><Words parts={item} /></li>)}</ul>;
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>;
    case "table":
      return (
        <div class="scroll"><table>
          <thead><tr>{block.head.map((cell, index) => <th key={index} scope="col"><Words parts={cell} /></th>)}</tr></thead>
          <tbody>{block.rows.map((row, index) => <tr key={index}>{row.map((cell, column) => <td key={column}><Words parts={cell} /></td>)}</tr>)}</tbody>
        </table></div>
      );
  }
}
