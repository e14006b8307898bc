// One device or one job over time: a dot a record, levels, and where they changed.

import { measured, ratioWords } from "../core/compare.ts";
import type { History, HistorySeries, RecordList } from "../core/documents.ts";
import { latencyTicks, linearTicks, logRange, niceTop } from "../core/scale.ts";
import { moment, percentSigned } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get } from "../net/api.ts";
import { useLoad } from "../ui/load.ts";
import { Command, Empty, Section, Shown } from "../ui/parts.tsx";
import { go, usePlace } from "../ui/router.ts";

export function HistoryPage() {
  const place = usePlace();
  const device = place.rest[0] ?? place.query.get("device") ?? "";
  const job = place.query.get("job") ?? "";
  const known = useLoad("devices of records", (signal) => get<RecordList>("/records?limit=500", signal));
  const devices = [...new Set((known.data?.records ?? []).flatMap((one) => (one.device ? [one.device] : [])))].sort();
  const chosen = device || devices[0] || "";
  const query = new URLSearchParams({ device: chosen, ...(job ? { job } : {}) }).toString();
  const history = useLoad(chosen ? `history ${query}` : null, (signal) => get<History>(`/history?${query}`, signal));
  return (
    <>
      <div class="lead">
        <div class="head">
          <h1>{history.data?.sentence ?? (chosen ? `History of ${chosen}` : "History")}</h1>
          {devices.length > 0 && (
            <label class="line"><span class="dim">Device</span>
              <select data-search value={chosen} onChange={(event) => go(address("history", [event.currentTarget.value]))}>
                {[...new Set([...devices, ...(chosen ? [chosen] : [])])].map((one) => <option key={one} value={one}>{one}</option>)}
              </select>
            </label>
          )}
        </div>
        {history.data && <p>{history.data.searched} series searched; the chance of a false change anywhere here is {history.data.alpha}. Seed {history.data.seed}.</p>}
      </div>
      {known.data && !chosen && <Empty title="No record of any device yet."><p>A history begins with two runs of the same job. <Command line="iodyno run ." /></p></Empty>}
      {chosen && (
        <Shown of={history} lines={8}>
          {(document) => document.series.length === 0
            ? <Empty title={`Nothing of ${chosen} was measured twice under the same job.`}><p>Run a job again and it appears here. <a href={address("records", [], { device: chosen })}>Its records</a></p></Empty>
            : <>
                {document.series.map((series) => <SeriesView key={series.phrase + series.part + series.measure + series.place} series={series} />)}
              </>}
        </Shown>
      )}
    </>
  );
}

const WIDTH = 760;
const HEIGHT = 200;
const LEFT = 80;
const RIGHT = 20;

function SeriesView({ series }: { series: HistorySeries }) {
  const last = series.changes[series.changes.length - 1];
  const label = `${series.part ? `${series.part}, ` : ""}${series.measure}`;
  const title = last
    ? `${label}: ${percentSigned(last.effect)} (${percentSigned(last.low)} to ${percentSigned(last.high)}) since record ${series.points[last.at].record}`
    : `${label}: ${series.not_searched ?? "no lasting change"}`;
  return (
    <Section title={`${series.phrase} on ${series.place}`}>
      <figure class="card">
        <h3>{title}</h3>
        <Picture series={series} label={title} />
        <figcaption>
          {series.points.length} records. Hollow dots are imported or single figures.
          {series.changes.map((change) => (
            <span class="described" key={change.at}>
              {percentSigned(change.effect)} ({percentSigned(change.low)} to {percentSigned(change.high)}, p {change.p.toPrecision(2)}) between records {series.points[change.between[0]].record} and {series.points[change.between[1]].record}.
              {change.changed.length ? ` Changed at the same time: ${change.changed.slice(0, 5).map((one) => `${one.name} ${one.a ?? "absent"} → ${one.b ?? "absent"}`).join(", ")}.` : " Nothing that is recorded changed at the same time."}
            </span>
          ))}
        </figcaption>
        <details>
          <summary class="dim">Table</summary>
          <div class="scroll">
            <table>
              <thead><tr><th scope="col">record</th><th scope="col">when</th><th scope="col" class="num">{series.measure}</th><th scope="col" class="num">to the first</th></tr></thead>
              <tbody>{series.points.slice(-60).map((point) => (
                <tr key={point.record}><th scope="row"><a href={address("records", [point.record])}>{point.record}</a></th><td>{moment(point.unix_ms)}</td><td class="num">{measured(series.unit, point.measure.value)}</td><td class="num">{ratioWords(point.measure.value / series.points[0].measure.value)}</td></tr>
              ))}</tbody>
            </table>
            {series.points.length > 60 && <p class="dim">The last 60 of {series.points.length}.</p>}
          </div>
        </details>
      </figure>
    </Section>
  );
}

function Picture({ series, label }: { series: HistorySeries; label: string }) {
  const { points } = series;
  const values = points.map((one) => one.measure.value);
  const isLog = series.unit === "ns";
  const ends = points.flatMap(({ measure }) => [measure.low ?? measure.value, measure.high ?? measure.value]);
  const [low, high] = isLog ? logRange([...values, ...ends]) : [0, niceTop(Math.max(...values, ...ends))];
  const [first, last] = [points[0].unix_ms, points[points.length - 1].unix_ms];
  const x = (unixMs: number) => LEFT + (last > first ? (unixMs - first) / (last - first) : 0.5) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => {
    const share = isLog ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
    return 10 + (1 - Math.min(1, share)) * (HEIGHT - 36);
  };
  const ticks = isLog ? latencyTicks(low, high) : linearTicks(high, 3);
  const at = (index: number) => x(points[index].unix_ms);
  return (
    <div class="pairs past">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {series.changes.map((one) => <rect key={one.at} class="changed" x={at(one.between[0])} width={Math.max(3, at(one.between[1]) - at(one.between[0]))} y={10} height={HEIGHT - 36} />)}
        {ticks.map((tick) => <g key={tick}><line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} /><text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">{measured(series.unit, tick)}</text></g>)}
        {series.not_searched === null && series.levels.map(([from, to, value]) => <line key={from} class="level" x1={at(from) - 3} x2={at(to) + 3} y1={y(value)} y2={y(value)} />)}
        {points.map((point) => {
          const { low: bottom, high: top, value } = point.measure;
          return (
            <g key={point.record}>
              {bottom !== null && top !== null && <line class="whisker" x1={x(point.unix_ms)} x2={x(point.unix_ms)} y1={y(bottom)} y2={y(top)} />}
              <circle class={`dot${point.imported || bottom === null ? " hollow" : ""}`} cx={x(point.unix_ms)} cy={y(value)} r={3}><title>{`record ${point.record}, ${moment(point.unix_ms)}: ${measured(series.unit, value)}`}</title></circle>
            </g>
          );
        })}
        <text x={LEFT} y={HEIGHT - 8}>{moment(first)}</text>
        {last > first && <text x={WIDTH - RIGHT} y={HEIGHT - 8} text-anchor="end">{moment(last)}</text>}
      </svg>
    </div>
  );
}
