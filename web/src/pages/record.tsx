// One record: what it found in a sentence, the figures, the findings, the settings, how to make it again.

import { useState } from "preact/hooks";
import { KNOWN_SETTINGS, chosen, setBy, walk } from "../core/path.ts";
import { bytesPerS, count, durationNs, moment, percentSigned, spanMs } from "../core/units.ts";
import { address } from "../core/url.ts";
import { isSupported, quantileNs, total, type Sparse } from "../core/histogram.ts";
import type { FigureList, Imported, IoPath, LoadResult, RecordDocument, Shown as ShownRecord, SideFigures, Trial } from "../core/documents.ts";
import { get, post, remove } from "../net/api.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { Command, Empty, Failure, Findings, Section, Shown, Waiting } from "../ui/parts.tsx";
import { FigureView, useStage } from "../ui/figure.tsx";
import { go } from "../ui/router.ts";

export function RecordPage({ id, isReadOnly }: { id: string; isReadOnly: boolean }) {
  const key = encodeURIComponent(id);
  const show = useLoad(`record ${id}`, (signal) => get<ShownRecord>(`/records/${key}`, signal));
  const stage = useStage(id);
  const figures = useLoad(`figures ${id}`, (signal) => get<FigureList>(`/records/${key}/figures`, signal));
  return (
    <Shown of={show} lines={10}>
      {(shown) => {
        const { record } = shown;
        const list = figures.data?.figures;
        return (
          <>
            <Lead shown={shown} />
            <Tags shown={shown} isReadOnly={isReadOnly} reload={show.reload} />
            {record.findings?.length ? <Section title="Findings"><Findings findings={record.findings} /></Section> : null}
            {record.imported ? <ImportedFigures imported={record.imported} /> : record.load && <LoadTable load={record.load} />}
            {record.trials?.map((trial, at) => <TrialView key={at} trial={trial} />)}
            <Section title="Figures" id="figures">
              {figures.error ? <Failure error={figures.error} retry={figures.reload} />
                : !list ? <Waiting lines={6} />
                : list.length === 0 ? <Empty title="This record has nothing to draw."><p>Its figures are in the table above.</p></Empty>
                : (
                  <>
                    {list.some((figure) => figure.readings) && <p class="dim">On figures over time, drag to zoom and Shift-drag to sum up a span. With the keyboard: Tab to one, arrows read, <kbd>+</kbd> and <kbd>-</kbd> zoom, <kbd>0</kbd> shows the whole time.</p>}
                    {list.map((figure) => <FigureView key={figure.id} figure={figure} stage={stage} />)}
                  </>
                )}
            </Section>
            {record.path?.root && <Settings path={record.path} />}
            <Reproduce record={record} />
            {!isReadOnly && <Delete id={shown.id} />}
          </>
        );
      }}
    </Shown>
  );
}

function Lead({ shown: { id, record } }: { shown: ShownRecord }) {
  const { provenance } = record;
  const isPlain = record.verb === "run" || record.verb === "import";
  return (
    <div class="lead">
      <h1>{record.summary}</h1>
      <p>
        <span class="chip">{record.verb}</span> record {id} · {record.target} on {provenance.hostname || "a machine that the source does not name"}
        {provenance.started_unix_ms ? ` · ${moment(provenance.started_unix_ms)}` : ""}
      </p>
      {isPlain && <p>One run: no comparison is claimed. <a href={address("compare", [], { r: id })}>Compare it</a> with others{record.verb === "run" ? "; whether a setting helps, a tune proves" : ""}.</p>}
      <p class="row">
        <a class="button" href={`/api/v1/records/${id}/report.html`} target="_blank" rel="noreferrer">Report as one file</a>
        <a class="button" href={`/api/v1/records/${id}/export.json`} download>Document</a>
        {record.trials?.some((trial) => trial.verdict?.verdict === "better") && <a class="button" href={address("changes", [], { record: id })}>Keep what it proved</a>}
      </p>
    </div>
  );
}

function Tags({ shown, isReadOnly, reload }: { shown: ShownRecord; isReadOnly: boolean; reload: () => void }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const change = useAction(async (add: string[], take: string[]) => {
    await post(`/records/${shown.id}/tags`, { add, remove: take });
    setText("");
    reload();
  });
  const write = useAction(async () => {
    await post(`/records/${shown.id}/notes`, { text: note });
    setNote("");
    reload();
  });
  const tags = shown.tags ?? [];
  const notes = shown.notes ?? [];
  if (isReadOnly && !tags.length && !notes.length) return null;
  return (
    <div class="card">
      <div class="row">
        {tags.map((tag) => (
          <span class="chip" key={tag}>
            <a href={address("records", [], { tag })}>{tag}</a>
            {!isReadOnly && <button type="button" class="quiet" aria-label={`Take the tag ${tag} away`} onClick={() => change.start([], [tag])}>✕</button>}
          </span>
        ))}
        {!isReadOnly && (
          <form class="row" onSubmit={(event) => { event.preventDefault(); const add = text.split(/[\s,]+/).filter(Boolean); if (add.length) void change.start(add, []); }}>
            <input type="text" aria-label="New tag" placeholder="tag" value={text} onInput={(event) => setText(event.currentTarget.value)} maxLength={64} />
            <button type="submit" disabled={change.isBusy || !text.trim()}>Tag</button>
          </form>
        )}
      </div>
      {notes.map((one) => <p key={one.text}>{one.unix_ms ? <span class="dim">{moment(one.unix_ms)} </span> : null}{one.text}</p>)}
      {!isReadOnly && (
        <form class="filter" onSubmit={(event) => { event.preventDefault(); if (note.trim()) void write.start(); }}>
          <input type="text" aria-label="New note" placeholder="note: what was special about it" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
          <button type="submit" disabled={write.isBusy || !note.trim()}>Note</button>
        </form>
      )}
      {change.error && <Failure error={change.error} />}
      {write.error && <Failure error={write.error} />}
    </div>
  );
}

function LoadTable({ load }: { load: LoadResult }) {
  const sides = (["read", "write", "trim", "sync"] as const).filter((side) => load[side]?.ios > 0);
  if (!sides.length) return null;
  const quantile = (latency: Sparse, q: number) => {
    const n = total(latency);
    const ns = quantileNs(latency, q);
    if (ns === null) return "–";
    return isSupported(n, q) ? durationNs(ns) : `${durationNs(ns)} (few)`;
  };
  const seconds = load.elapsed_ms / 1000;
  return (
    <Section title="What the load did">
      <div class="card scroll" tabIndex={0} role="region" aria-label="Figures of the load">
        <table>
          <thead><tr><th scope="col" /><th class="num">IOPS</th><th class="num">bandwidth</th><th class="num">p50</th><th class="num">p90</th><th class="num">p99</th><th class="num">p99.9</th><th class="num">n</th></tr></thead>
          <tbody>
            {sides.map((side) => (
              <tr key={side}>
                <th scope="row">{side}</th>
                <td class="num">{count(load[side].ios / seconds)}</td>
                <td class="num">{side === "sync" ? "–" : bytesPerS(load[side].bytes / seconds)}</td>
                {[0.5, 0.9, 0.99, 0.999].map((q) => <td class="num" key={q}>{quantile(load[side].latency, q)}</td>)}
                <td class="num">{count(load[side].ios)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="dim">{spanMs(load.elapsed_ms)} with {load.engine}. Percentiles of fewer than ten slower I/Os are marked (few).</p>
        {load.errors.length > 0 && <p class="worse">{load.errors.map(([errno, n]) => `${count(n)} I/Os failed with errno ${errno}`).join(", ")}</p>}
        {load.notes.map((note) => <p class="dim" key={note}>{note}</p>)}
      </div>
    </Section>
  );
}

function ImportedFigures({ imported }: { imported: Imported }) {
  const sides = Object.entries(imported.load ?? {}).filter((entry): entry is [string, SideFigures] => entry[1] !== null && typeof entry[1] === "object" && !Array.isArray(entry[1]) && ("iops" in entry[1] || "ios" in entry[1]));
  const best = (side: SideFigures) => side.latencies?.find((one) => one.kind === "clat") ?? side.latencies?.find((one) => one.kind === "lat") ?? side.latencies?.[0];
  const at = (side: SideFigures, p: number) => {
    const found = best(side)?.percentiles.find(([percent]) => Math.abs(percent - p) < 1e-6);
    return found ? durationNs(found[1]) : "–";
  };
  const given = (value: number | null | undefined, words: (value: number) => string) => (value === null || value === undefined ? "–" : words(value));
  return (
    <Section title={`What ${imported.tool || "the other tool"} had measured`}>
      <div class="card">
        {sides.length > 0 && (
          <div class="scroll" tabIndex={0} role="region" aria-label="Imported figures">
            <table>
              <thead><tr><th scope="col" /><th class="num">IOPS</th><th class="num">bandwidth</th><th class="num">mean</th><th class="num">p50</th><th class="num">p99</th><th class="num">max</th></tr></thead>
              <tbody>
                {sides.map(([name, side]) => (
                  <tr key={name}>
                    <th scope="row">{name}{best(side) ? <span class="dim"> {best(side)!.kind}</span> : null}</th>
                    <td class="num">{given(side.iops, count)}</td><td class="num">{given(side.bytes_per_s, bytesPerS)}</td>
                    <td class="num">{given(best(side)?.mean_ns, durationNs)}</td><td class="num">{at(side, 50)}</td><td class="num">{at(side, 99)}</td><td class="num">{given(best(side)?.max_ns, durationNs)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <dl class="facts">
          <dt>From</dt><dd>{imported.file}{imported.lines ? `, lines ${imported.lines[0]} to ${imported.lines[1]}` : ""}</dd>
          {imported.name && <><dt>Called</dt><dd>{imported.name}</dd></>}
          {imported.lossy.map((one) => <><dt>Lost</dt><dd>{one}</dd></>)}
          {imported.units.map((one) => <><dt>Units</dt><dd>{one}</dd></>)}
          {Object.entries(imported.facts).map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}
        </dl>
        <p class="dim">A dash is what the source does not tell. <a href={address("catalogue", [], { q: imported.importer })}>What this importer reads and loses</a></p>
      </div>
    </Section>
  );
}

/** What a tune says of one knob; the pairs behind it are among the figures. */
function TrialView({ trial }: { trial: Trial }) {
  const { verdict } = trial;
  const title = `${trial.knob} on ${trial.device}: ${verdict ? verdict.verdict : "not tried"}`;
  if (!verdict) return <Section title={title}><p class="card">{trial.skipped ?? trial.summary}</p></Section>;
  const interval = (low: number | null, high: number | null) => (low === null || high === null ? "–" : `${percentSigned(low)} to ${percentSigned(high)}`);
  return (
    <Section title={title}>
      <div class="card">
        <p><b>{trial.summary || verdict.sentence}</b></p>
        <div class="scroll" tabIndex={0} role="region" aria-label={`Values of ${trial.knob}`}>
          <table>
            <thead><tr><th scope="col">value</th><th scope="col" class="num">running estimate</th><th scope="col" class="num">interval</th><th scope="col">state</th></tr></thead>
            <tbody>
              <tr><th scope="row" class="mono">A {trial.arms[0]}</th><td class="num">set when it began</td><td class="num">–</td><td /></tr>
              {verdict.arms.map((arm, index) => (
                <tr key={arm.arm}>
                  <th scope="row" class="mono">{String.fromCharCode(66 + index)} {arm.arm}</th>
                  <td class="num">{arm.effect === null ? "–" : percentSigned(arm.effect)}</td><td class="num">{interval(arm.low, arm.high)}</td>
                  <td class="dim">{arm.dropped ? "out of the race" : ""}</td>
                </tr>
              ))}
              {verdict.estimated_in === "holdout" && verdict.effect !== null && verdict.verdict === "better" && (
                <tr class="here"><th scope="row">hold-out, {verdict.compared}</th><td class="num"><b>{percentSigned(verdict.effect)}</b></td><td class="num"><b>{interval(verdict.low, verdict.high)}</b></td><td>claimed</td></tr>
              )}
            </tbody>
          </table>
        </div>
        <p class="dim">{verdict.sentence} {verdict.pairs.length} pairs, seed {verdict.seed}, α {verdict.alpha}, {spanMs(verdict.device_ms)} of device time. {verdict.notes.join(" ")}</p>
      </div>
    </Section>
  );
}

function Settings({ path }: { path: IoPath }) {
  const rows = walk(path.root).flatMap((layer) => layer.settings.filter((one) => KNOWN_SETTINGS.includes(one.name)).map((one) => ({ layer, one })));
  if (!rows.length) return null;
  return (
    <Section title="Settings when it began">
      <details class="card">
        <summary>{rows.length} settings that people change</summary>
        <div class="scroll">
          <table>
            <thead><tr><th scope="col">layer</th><th scope="col">setting</th><th scope="col">value</th><th scope="col">set by</th></tr></thead>
            <tbody>{rows.map(({ layer, one }) => <tr key={one.path}><td class="mono">{layer.name}</td><th scope="row" class="mono">{one.name}</th><td class="mono">{chosen(one) ?? "–"}</td><td class="dim">{setBy(one)?.word ?? "–"} {setBy(one)?.place}</td></tr>)}</tbody>
          </table>
        </div>
      </details>
    </Section>
  );
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function Reproduce({ record }: { record: RecordDocument }) {
  const { provenance } = record;
  if (record.imported || !provenance.command.length) return null;
  // How it was told to speak is not what was measured.
  const words = provenance.command.slice(1).filter((word) => word !== "--json" && word !== "--stream");
  const line = ["iodyno", ...words].map(quoted).join(" ");
  return (
    <Section title="To make it again">
      <div class="card">
        <Command line={line} />
        <dl class="facts"><dt>iodyno</dt><dd>{provenance.iodyno}{provenance.commit && `, commit ${provenance.commit}`}</dd><dt>Kernel</dt><dd>{provenance.kernel}</dd><dt>CPU</dt><dd>{provenance.cpu}</dd></dl>
      </div>
    </Section>
  );
}

function Delete({ id }: { id: number }) {
  const [typed, setTyped] = useState("");
  const action = useAction(async () => {
    await remove(`/records/${id}`);
    go(address("records"));
  });
  return (
    <details>
      <summary class="dim">Delete this record</summary>
      <form class="row" onSubmit={(event) => { event.preventDefault(); if (typed.trim() === String(id)) void action.start(); }}>
        <label class="field">Its number, to be sure<input type="text" inputMode="numeric" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
        <button type="submit" disabled={typed.trim() !== String(id) || action.isBusy}>Delete record {id} for good</button>
      </form>
      {action.error && <Failure error={action.error} />}
    </details>
  );
}
