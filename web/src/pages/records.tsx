// The records: found by what is typed, chosen by key or click, compared, tagged; files of other tools dropped in.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportAnswer, RecordList, RecordRow } from "../core/documents.ts";
import { ago, bytesPerS, count, durationNs, moment } from "../core/units.ts";
import { address, filterLine, filterOf, FILTERS, idList, momentMs, parseFilter, type Filter } from "../core/url.ts";
import { get, send } from "../net/api.ts";
import { live } from "../net/live.ts";
import { draggedIds } from "../ui/drag.ts";
import { step, useKeys } from "../ui/keys.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { Command, Empty, Failure, Shown } from "../ui/parts.tsx";
import { go, setQuery, usePlace } from "../ui/router.ts";

const PAGE = 100;

export function Records({ isReadOnly }: { isReadOnly: boolean }) {
  const place = usePlace();
  const { filter, line, search, wrong, before } = filtered(place.query);
  const list = useLoad(`records ${search}`, (signal) => get<RecordList>(`/records?${search}`, signal));
  const chosen = idList(place.query.get("select"));
  useEffect(() => live.onRecord(() => list.reload()), [list.reload]);
  const toggle = (id: number) => {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    setQuery({ select: next.join(",") });
  };
  const compare = () => chosen.length > 1 && go(address("compare", [], { r: chosen.join(","), base: chosen[0] }));
  useKeys({
    j: () => step("[data-row]", 1),
    k: () => step("[data-row]", -1),
    x: () => focusedRow() && toggle(focusedRow()),
    c: compare,
    Enter: () => focusedRow() && go(address("records", [focusedRow()])),
  });
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <>
      <h1>{list.data ? title(list.data.records.length, hasFilter, before !== null) : "Records"}</h1>
      <FilterBar line={line} />
      {wrong.map((one) => <p class="note warning" key={one}><span><b>! {one} is no date.</b> Write since:2026-11-21, until:2026-11-21T18:00, since:7d or since:12h.</span></p>)}
      {!isReadOnly && <Import onDone={list.reload} />}
      <Shown of={list} lines={10}>
        {(data) => data.records.length === 0 ? (
          hasFilter
            ? <Empty title="No record matches."><p>Take a word away, or <a href={address("records")}>see all of them</a>.</p></Empty>
            : <Empty title="Nothing is recorded yet."><p>Import your old fio files: drop them above, or <Command line="iodyno import results/*.txt" /></p><p>Or make a record: <Command line="iodyno run ." /></p></Empty>
        ) : (
          <>
            <div class="card"><RecordRows records={data.records} chosen={chosen} onToggle={toggle} onPair={pair} /></div>
            {data.records.length === PAGE && <p class="pager"><button type="button" onClick={() => setQuery({ before: data.records[data.records.length - 1].id }, "push")}>Older records</button></p>}
          </>
        )}
      </Shown>
      {chosen.length > 0 && (
        <div class="selection" role="status">
          <span>{chosen.length === 1 ? `Record ${chosen[0]} is selected; select another one to compare.` : `Records ${chosen.join(", ")} are selected.`}</span>
          <button type="button" class="first" disabled={chosen.length < 2} onClick={compare}>Compare</button>
          <button type="button" onClick={() => setQuery({ select: null })}>Select none</button>
        </div>
      )}
    </>
  );
}

/** The row that has the focus, or something in it. */
export const focusedRow = (): number => Number((document.activeElement?.closest("[data-row]") as HTMLElement | null)?.dataset.row ?? 0);

/** One record dropped on another: both side by side, the one that lay there as the base. */
function pair(base: number, other: number): void {
  if (base !== other) go(address("compare", [], { r: `${base},${other}`, base }));
}

/** What the address asks for: as words, and as the server takes it. */
export function filtered(query: URLSearchParams) {
  const filter = filterOf(query);
  const before = query.get("before");
  const { asked, wrong } = askedFor(filter);
  const search = new URLSearchParams({ ...asked, ...(before ? { before } : {}), limit: String(PAGE) }).toString();
  return { filter, before, wrong, search, line: filterLine(filter) };
}

/** The filter as the server takes it: moments as milliseconds, to the minute, so that the same words ask the same. */
function askedFor(filter: Filter): { asked: Record<string, string>; wrong: string[] } {
  const asked: Record<string, string> = { ...filter };
  const wrong: string[] = [];
  for (const name of ["since", "until"] as const) {
    const text = filter[name];
    if (!text) continue;
    const at = momentMs(text, Math.floor(Date.now() / 60_000) * 60_000);
    if (at === null) wrong.push(`${name}:${text}`);
    if (at === null) delete asked[name];
    else asked[name] = String(at);
  }
  return { asked, wrong };
}

const title = (n: number, hasFilter: boolean, isOlder: boolean): string =>
  n === PAGE || isOlder ? "Records, the newest first" : `${n} ${n === 1 ? "record" : "records"}${hasFilter ? " match" : ""}`;

export function FilterBar({ line }: { line: string }) {
  const [text, setText] = useState(line);
  useEffect(() => setText(line), [line]);
  const apply = (value: string) => {
    const filter = parseFilter(value);
    setQuery({ ...Object.fromEntries(FILTERS.map((name) => [name, filter[name] ?? null])), before: null }, "push");
  };
  return (
    <form class="filter" role="search" onSubmit={(event) => { event.preventDefault(); apply(text); }}>
      <input type="search" data-search aria-label="Filter" placeholder="device:nvme0n1 verb:tune tag:before …" value={text}
        onInput={(event) => setText(event.currentTarget.value)} onSearch={(event) => apply(event.currentTarget.value)} />
      <button type="submit">Filter</button>
      <span class="dim">words of the sentence, or {FILTERS.slice(1, 6).map((name) => `${name}:`).join(" ")}</span>
    </form>
  );
}

interface Rows {
  records: RecordRow[];
  chosen?: number[];
  onToggle?: (id: number) => void;
  /** A record was dropped on another one. */
  onPair?: (base: number, other: number) => void;
}

export function RecordRows({ records, chosen, onToggle, onPair }: Rows) {
  const [over, setOver] = useState(0);
  const now = Date.now();
  const figure = (value: number | null | undefined, words: (value: number) => string) => (value === null || value === undefined ? "–" : words(value));
  return (
    <div class="scroll records" tabIndex={0} role="region" aria-label="Records">
      <table>
        <thead>
          <tr>
            {onToggle && <th scope="col"><span class="out">Select</span></th>}
            <th scope="col">record</th><th scope="col">when</th><th scope="col">what</th><th scope="col">target</th><th scope="col">host</th>
            <th scope="col" class="num">IOPS</th><th scope="col" class="num">bandwidth</th><th scope="col" class="num">p99</th>
          </tr>
        </thead>
        <tbody>
          {records.map((row) => (
            <tr key={row.id} data-row={row.id} tabIndex={-1} class={chosen?.includes(row.id) || over === row.id ? "here" : undefined}
              onDragOver={onPair && ((event) => { event.preventDefault(); setOver(row.id); })}
              onDragLeave={onPair && (() => setOver(0))}
              onDrop={onPair && ((event) => { event.preventDefault(); setOver(0); const [id] = draggedIds(event.dataTransfer); if (id) onPair(row.id, id); })}
            >
              {onToggle && <td><input type="checkbox" aria-label={`Select record ${row.id}`} checked={chosen?.includes(row.id)} onChange={() => onToggle(row.id)} /></td>}
              <td class="num"><a href={address("records", [row.id])}>{row.id}</a></td>
              <td title={moment(row.unix_ms)} class="dim brief">{ago(row.unix_ms, now)}</td>
              <td class="words">
                <span class="chip">{row.verb}</span> {row.summary}{" "}
                {row.tags.map((tag) => <a key={tag} class="chip tag" href={address("records", [], { tag })}>{tag}</a>)}
                {row.note_count ? <span class="dim"> {row.note_count} {row.note_count === 1 ? "note" : "notes"}</span> : null}
              </td>
              <td class="mono">{row.target}</td>
              <td class="dim">{row.host || "–"}</td>
              <td class="num">{figure(row.iops, (value) => count(Math.round(value)))}</td>
              <td class="num">{figure(row.bytes_per_s, bytesPerS)}</td>
              <td class="num">{figure(row.p99_ns, durationNs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Import({ onDone }: { onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [said, setSaid] = useState<{ file: string; ids: number[]; unread: number }[]>([]);
  const action = useAction(async (files: File[]) => {
    for (const file of files) {
      const answer = await send<ImportAnswer>("/imports", file);
      setSaid((before) => [...before, { file: file.name, ids: answer.ids, unread: answer.unread.length }]);
    }
    onDone();
  });
  const take = (list: FileList | null | undefined) => list?.length && action.start([...list]);
  return (
    <>
      <div
        class={`drop${isOver ? " over" : ""}`}
        onDragOver={(event) => { event.preventDefault(); setOver(true); }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => { event.preventDefault(); setOver(false); take(event.dataTransfer?.files); }}
      >
        <button type="button" disabled={action.isBusy} onClick={() => input.current?.click()}>Import files</button>
        <input ref={input} type="file" multiple hidden data-import aria-label="Files to import" onChange={(event) => { take(event.currentTarget.files); event.currentTarget.value = ""; }} />
        <span>{action.isBusy ? "Reading …" : "or drop them here: what fio, iostat, sar, dd, ioping, rados bench and others printed, in any form"}</span>
      </div>
      {action.error && <Failure error={action.error} />}
      {said.map((one) => (
        <p class="note ok" role="status" key={one.file + one.ids.join()}>
          <span>✓ {one.file}: {one.ids.length === 0 ? "no result was found in it" : one.ids.length === 1 ? "one result, record " : `${one.ids.length} results, records `}
            {one.ids.slice(0, 12).map((id, index) => <>{index ? ", " : ""}<a key={id} href={address("records", [id])}>{id}</a></>)}
            {one.ids.length > 12 ? ` to ${one.ids[one.ids.length - 1]}` : ""}
            {one.unread ? `; ${one.unread} places could not be read` : ""}</span>
        </p>
      ))}
    </>
  );
}
