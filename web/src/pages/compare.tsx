// Records side by side: ratios with what they are worth, curves over each other, the settings that differ; or devices ranked.

import { useEffect, useState } from "preact/hooks";
import { direction, measured, ratioWords, STANDING } from "../core/compare.ts";
import type { Caveat, ComparisonCell, ComparedRecord, Comparison, Curves, FigureList, Ranking, RecordList } from "../core/documents.ts";
import { decades, linearTicks, logRange, niceTop } from "../core/scale.ts";
import { bytesPerS, count, durationNs, moment } from "../core/units.ts";
import { address, idList } from "../core/url.ts";
import { get } from "../net/api.ts";
import { FigureView, useStage } from "../ui/figure.tsx";
import { draggedIds } from "../ui/drag.ts";
import { step, useKeys } from "../ui/keys.ts";
import { useLoad } from "../ui/load.ts";
import { Empty, Section, Shown } from "../ui/parts.tsx";
import { FilterBar, filtered, focusedRow, RecordRows } from "./records.tsx";
import { setQuery, usePlace } from "../ui/router.ts";

export function Compare() {
  const place = usePlace();
  const ids = idList(place.query.get("r"));
  const base = Number(place.query.get("base")) || ids[0];
  const isRank = place.query.get("view") === "rank";
  const list = ids.join(",");
  return (
    <>
      <Picker ids={ids} base={base} isRank={isRank} />
      {ids.length < 2
        ? <Empty title={ids.length === 1 ? `Record ${ids[0]} alone: pick another one.` : "Pick two records or more."}><p>Tick them below, or drag their numbers up here; <kbd>j</kbd> and <kbd>k</kbd> go through the rows, <kbd>x</kbd> ticks.</p></Empty>
        : isRank ? <Rank list={list} /> : <SideBySide list={list} base={base} />}
      <Chooser ids={ids} base={base} />
    </>
  );
}

/** Puts records into the address, or takes them out; the base stays while it is one of them. */
function choose(next: number[], base: number): void {
  setQuery({ r: next.join(",") || null, base: next.includes(base) ? base : next[0] ?? null }, "push");
}

/** Records to tick: the same filter and rows as on their own page. Open while there is nothing to compare. */
function Chooser({ ids, base }: { ids: number[]; base: number }) {
  const place = usePlace();
  const isNeeded = ids.length < 2;
  const [isOpen, setOpen] = useState(isNeeded);
  useEffect(() => { if (isNeeded) setOpen(true); }, [isNeeded]);
  const { search, line } = filtered(place.query);
  const list = useLoad(isOpen ? `records ${search}` : null, (signal) => get<RecordList>(`/records?${search}`, signal));
  const toggle = (id: number) => choose(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id], base);
  useKeys({
    j: () => step("[data-row]", 1),
    k: () => step("[data-row]", -1),
    x: () => { const id = focusedRow(); if (id) toggle(id); },
  });
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} data-chooser>
      <summary>Choose records</summary>
      {isOpen && (
        <div class="stack">
          <FilterBar line={line} />
          <Shown of={list} lines={6}>
            {(data) => data.records.length === 0
              ? <Empty title="No record matches."><p>Take a word away.</p></Empty>
              : <div class="card"><RecordRows records={data.records} chosen={ids} onToggle={toggle} /></div>}
          </Shown>
        </div>
      )}
    </details>
  );
}

function Picker({ ids, base, isRank }: { ids: number[]; base: number; isRank: boolean }) {
  const [text, setText] = useState("");
  const [isOver, setOver] = useState(false);
  const take = (more: number[]) => more.length && choose([...new Set([...ids, ...more])], base);
  const add = () => {
    take(idList(text));
    setText("");
  };
  return (
    <div class={`row drop${isOver ? " over" : ""}`} data-drop
      onDragOver={(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); take(draggedIds(event.dataTransfer)); }}
    >
      {ids.map((id) => (
        <span class="chip" key={id}>
          <a href={address("records", [id])}>record {id}</a>{id === base ? " base" : <button type="button" class="quiet" onClick={() => setQuery({ base: id })}>as base</button>}
          <button type="button" class="quiet" aria-label={`Take record ${id} out`} onClick={() => {
            choose(ids.filter((one) => one !== id), base);
          }}>✕</button>
        </span>
      ))}
      <form class="row" onSubmit={(event) => { event.preventDefault(); add(); }}>
        <input type="text" data-search inputMode="numeric" aria-label="Record to add" placeholder="record number" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" disabled={idList(text).length === 0}>Add</button>
      </form>
      <span role="group" aria-label="View">
        <button type="button" class="quiet" aria-pressed={!isRank} onClick={() => setQuery({ view: null })}>side by side</button>
        <button type="button" class="quiet" aria-pressed={isRank} onClick={() => setQuery({ view: "rank" })}>ranking</button>
      </span>
    </div>
  );
}

function SideBySide({ list, base }: { list: string; base: number }) {
  const query = `r=${list}&base=${base}`;
  const loaded = useLoad(`compare ${query}`, (signal) => get<Comparison>(`/compare?${query}`, signal));
  const drawn = useLoad(`compare figures ${query}`, (signal) => get<FigureList>(`/compare/figures?${query}`, signal));
  const stage = useStage(query);
  return (
    <Shown of={loaded} lines={10}>
      {(document) => (
        <>
          <div class="lead"><h1>{document.sentence}</h1></div>
          <p><a class="button" href={`/api/v1/compare/report.html?${query}`} target="_blank" rel="noreferrer">Report as one file</a></p>
          <Subjects subjects={document.subjects} base={document.base} />
          {document.compared.map((part) => (
            <Section key={part.name} title={part.name ? `${part.name}: ${part.phrase}` : part.phrase}>
              <Ratios document={document} part={part} />
              {part.unlike.map(([subject, why]) => <p class="note warning"><span><b>! {name(document.subjects[subject])} is shown, not compared.</b> {why}</span></p>)}
              {part.remarks.map((remark) => <p class="dim">{remark}</p>)}
            </Section>
          ))}
          {document.curves.map((curves) => <CurvesView key={curves.option} curves={curves} subjects={document.subjects} />)}
          {drawn.data?.figures.map((figure) => <FigureView key={figure.id} figure={figure} stage={stage} />)}
          {document.settings.map((one) => (
            <Section key={one.subject} title={`What differs in ${name(document.subjects[one.subject])} from ${name(document.subjects[document.base])}`}>
              {one.differences.length === 0 ? <p class="card">Nothing: {count(one.same)} settings and facts are equal.</p> : (
                <div class="card scroll" tabIndex={0} role="region" aria-label="Settings that differ">
                  <table>
                    <thead><tr><th scope="col">setting</th><th scope="col">where</th><th scope="col">base</th><th scope="col">here</th><th scope="col">why it can matter</th></tr></thead>
                    <tbody>{one.differences.slice(0, 60).map((row) => <tr key={row.place + row.name}><th scope="row" class="mono">{row.name}</th><td class="mono">{row.place}</td><td class="mono">{row.a ?? "absent"}</td><td class="mono">{row.b ?? "absent"}</td><td class="dim">{row.why}</td></tr>)}</tbody>
                  </table>
                  <p class="dim">{count(one.same)} equal.</p>
                </div>
              )}
            </Section>
          ))}
        </>
      )}
    </Shown>
  );
}

const name = (subject: ComparedRecord | undefined): string => (subject ? (subject.record === null ? subject.name : `record ${subject.record}`) : "?");
const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

function Subjects({ subjects, base }: { subjects: ComparedRecord[]; base: number }) {
  return (
    <div class="card scroll" tabIndex={0} role="region" aria-label="What is compared">
      <table>
        <thead><tr><th scope="col" /><th scope="col">record</th><th scope="col">device</th><th scope="col">target</th><th scope="col">host</th><th scope="col">kernel</th><th scope="col">measured by</th><th scope="col">when</th><th scope="col">beware</th></tr></thead>
        <tbody>
          {subjects.map((one, index) => (
            <tr key={one.name}>
              <th scope="row">{letter(index)}{index === base ? " base" : ""}</th>
              <td>{one.record === null ? one.name : <a href={address("records", [one.record])}>{one.record}</a>}</td>
              <td>{one.label || one.device || "–"}</td><td class="mono">{one.target || "–"}</td><td>{one.host || "–"}</td><td>{one.kernel || "–"}</td><td>{one.source || one.verb}</td>
              <td>{one.unix_ms === null ? "–" : moment(one.unix_ms)}</td><td><Caveats of={one.caveats} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Caveats = ({ of }: { of: Caveat[] }) => <>{of.length ? of.map((one) => <span class="chip warning" key={one.mark} title={one.why}>! {one.mark}</span>) : <span class="dim">–</span>}</>;

function Ratios({ document, part }: { document: Comparison; part: Comparison["compared"][number] }) {
  const standings = document.subjects.map((_, index) => new Set(part.rows.flatMap(({ cells }) => (cells[index]?.ratio ? [cells[index]!.ratio!.standing] : []))));
  const common = standings.map((of) => (of.size === 1 ? STANDING[[...of][0]] : ""));
  return (
    <div class="card">
      <div class="scroll" tabIndex={0} role="region" aria-label="Ratios">
        <table>
          <thead><tr><th scope="col">measure</th>{document.subjects.map((one, index) => <th scope="col" class="num" key={one.name}>{letter(index)} {name(one)}{index === document.base ? " (base)" : ""}{common[index] && <><br />{common[index]}</>}</th>)}</tr></thead>
          <tbody>
            {part.rows.map((row) => (
              <tr key={row.measure}>
                <th scope="row" class="mono">{row.measure}</th>
                {row.cells.map((cell, index) => <td class="num" key={index}><CellView cell={cell} isCommon={common[index] !== ""} /></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">
        Against the base; in brackets what chance inside the runs leaves open, at 95 %.
        {part.rows.some((row) => row.repeats) || standings.every((of) => !of.has("hint")) ? "" : " One run each: what a repeat would give is not known."}
      </p>
    </div>
  );
}

function CellView({ cell, isCommon }: { cell: ComparisonCell | null; isCommon: boolean }) {
  if (!cell) return <span class="dim">–</span>;
  const { measure, ratio } = cell;
  const way = ratio ? direction(ratio, measure.better) : "";
  return (
    <>
      {measured(measure.unit, measure.value)}
      {ratio && (
        <>
          <br />
          <span class={way || "dim"}>{way === "better" ? "✓ " : way === "worse" ? "✗ " : ""}{ratioWords(ratio.ratio)}</span>
          {ratio.low !== null && ratio.high !== null && <span class="dim"> ({ratioWords(ratio.low)} to {ratioWords(ratio.high)})</span>}
          {!isCommon && <><br /><span class="dim">{STANDING[ratio.standing]}</span></>}
        </>
      )}
    </>
  );
}

const LOOKS = ["ink", "s1", "s2", "s3", "s4", "s5"];
const DASHES = ["", "", "6 3", "2 2", "8 3 2 3", "1 3"];

/** Latency over the rate that was reached, one axis for all; joined in the order of the load, so that a curve can bend back. */
function CurvesView({ curves, subjects }: { curves: Curves; subjects: ComparedRecord[] }) {
  const [width, height, left, bottom, right] = [760, 320, 64, 34, 110];
  const shown = subjects.map((_, index) => index).filter((index) => curves.rows.some(([, cells]) => cells[index])).slice(0, 6);
  const cells = curves.rows.flatMap(([, all]) => all).filter((one) => one !== null);
  const top = niceTop(Math.max(...cells.map((one) => one.iops.mean)));
  const [low, high] = logRange(cells.map((one) => one.p99_ns.mean));
  const x = (iops: number) => left + (iops / top) * (width - left - right);
  const y = (ns: number) => 12 + (1 - Math.log(ns / low) / Math.log(high / low)) * (height - bottom - 12);
  return (
    <figure class="card">
      <h3>p99 over the rate reached, by {curves.option}</h3>
      <div class="pairs">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`p99 latency over IOPS for ${shown.map((index) => name(subjects[index])).join(", ")}`}>
          {decades(low, high).map((ns) => <g key={ns}><line class="grid" x1={left} x2={width - right} y1={y(ns)} y2={y(ns)} /><text x={left - 6} y={y(ns) + 4} text-anchor="end">{durationNs(ns)}</text></g>)}
          {linearTicks(top, 5).map((iops) => <text key={iops} x={x(iops)} y={height - 16} text-anchor="middle">{count(iops)}</text>)}
          <text x={(left + width - right) / 2} y={height - 2} text-anchor="middle">IOPS reached</text>
          {shown.map((index, order) => {
            const points = curves.rows.flatMap(([load, all]) => (all[index] ? [{ load, x: x(all[index]!.iops.mean), y: y(all[index]!.p99_ns.mean) }] : []));
            const last = points[points.length - 1];
            return (
              <g key={index} class={`curve c-${LOOKS[order]}`}>
                <path d={`M${points.map((point) => `${point.x} ${point.y}`).join("L")}`} fill="none" stroke-width="1.5" stroke-dasharray={DASHES[order]} />
                {points.map((point) => <g key={point.load}><circle cx={point.x} cy={point.y} r={3.5} /><text x={point.x + 5} y={point.y - 5}>{point.load}</text></g>)}
                {last && <text class="claim" x={last.x + 22} y={last.y + 4}>{letter(index)} {name(subjects[index])}</text>}
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption>Points are labelled with {curves.option}. {shown.map((index) => `${letter(index)}: ${curves.knees[index] ? `knee at ${curves.knees[index]}` : "no knee found"}`).join("; ")}.</figcaption>
    </figure>
  );
}

function Rank({ list }: { list: string }) {
  const loaded = useLoad(`rank ${list}`, (signal) => get<Ranking>(`/rank?r=${list}`, signal));
  return (
    <Shown of={loaded} lines={8}>
      {(document) => (
        <>
          <div class="lead"><h1>{document.sentence}</h1></div>
          {document.jobs.map((job) => {
            const worst = Math.max(...job.entries.map((one) => one.times), 1);
            return (
              <Section key={job.phrase} title={`${job.phrase}${job.ratios ? `: ${job.ratios}` : ""}`}>
                <div class="card scroll" tabIndex={0} role="region" aria-label={`Ranking: ${job.phrase}`}>
                  <table>
                    <thead><tr><th scope="col">rank</th><th scope="col">device</th><th scope="col" class="num">{job.by}</th><th scope="col" class="num">to the best</th><th scope="col" class="num">IOPS</th><th scope="col" class="num">bandwidth</th><th scope="col" class="num">mean</th><th scope="col" class="num">p99</th><th scope="col">runs</th><th scope="col">records</th><th scope="col">beware</th></tr></thead>
                    <tbody>
                      {job.entries.map((one) => (
                        <tr key={one.label + one.records.join()}>
                          <th scope="row" class="num">{one.rank}</th><td>{one.label}</td>
                          <td class="num">{measured(one.by.unit, one.by.value)}</td><td class="num">{one.times === 1 ? "1" : one.times.toPrecision(worst > 10 ? 2 : 3)}</td>
                          <td class="num">{one.iops === null ? "–" : count(one.iops)}</td><td class="num">{one.bytes_per_s === null ? "–" : bytesPerS(one.bytes_per_s)}</td>
                          <td class="num">{one.mean_ns === null ? "–" : durationNs(one.mean_ns)}</td><td class="num">{one.p99_ns === null ? "–" : durationNs(one.p99_ns)}</td>
                          <td class="num">{one.runs}</td><td>{one.records.map((id) => <a key={id} href={address("records", [id])}>{id} </a>)}</td>
                          <td><Caveats of={one.caveats} /></td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                  <p class="dim">Devices whose intervals overlap share a rank. {job.remarks.join(" ")}</p>
                </div>
              </Section>
            );
          })}
          {document.alone.length > 0 && <p class="dim">Not ranked, since no other device had their job: {document.alone.map(([who, job]) => `${who} (${job})`).join(", ")}.</p>}
        </>
      )}
    </Shown>
  );
}
