// Live: which device does what, how long it takes, where the time goes, and who asks for it.

import { useRef } from "preact/hooks";
import { byName, DEVICE_COLUMNS, deviceRow, devices, field, isActive, type Frame } from "../core/frame.ts";
import type { ArmSpan } from "../core/documents.ts";
import { logRange } from "../core/scale.ts";
import { bytes, bytesPerS, count, durationNs, percent, spanMs, value } from "../core/units.ts";
import { spanSeconds } from "../core/url.ts";
import { HeatMap, type MapMode } from "../charts/heatmap.tsx";
import { RatesChart, READ, WRITE, type Line } from "../charts/rates.tsx";
import { live } from "../net/live.ts";
import { step, useKeys } from "../ui/keys.ts";
import { useLive, useSecond } from "../ui/load.ts";
import { Empty, Findings, Section, Waiting } from "../ui/parts.tsx";
import { setQuery, usePlace } from "../ui/router.ts";

const SPANS = ["30s", "1m", "5m", "15m", "1h"] as const;

export function LivePage() {
  const { frame, state } = useLive();
  const place = usePlace();
  const now = useSecond();
  useKeys({ j: () => step("[data-row]", 1), k: () => step("[data-row]", -1) });
  if (!frame && live.unwatched) {
    return <Empty title="The sensors cannot be read."><p>{live.unwatched}</p></Empty>;
  }
  if (!frame) {
    return (
      <>
        <div class="lead"><h1>{state.isOpen || state.tries === 0 ? "Waiting for the first samples." : "The stream of samples cannot be opened."}</h1>
          <p>{state.isOpen || state.tries === 0 ? "A rate needs two readings of the kernel's counters." : `Tried ${state.tries} times in ${spanMs(now - state.sinceMs)}; it is tried again by itself. See whether \`iodyno serve\` still runs, and the SSH forwarding.`}</p>
        </div>
        <Waiting lines={8} />
      </>
    );
  }
  const device = place.query.get("dev") ?? live.focus() ?? "";
  const isStale = !state.isOpen || now - frame.unixMs > 5_000;
  const span = place.query.get("span") ?? "1m";
  return (
    <>
      <Headline frame={frame} />
      <p class="live-head num">
        <span>every {spanMs(live.head?.everyMs ?? frame.seconds * 1000)}</span>
        <span>late {count(frame.late)}</span>
        <span>lost {count(frame.lost)}</span>
        <span>the sensors cost {percent(live.costPercent())} of a CPU</span>
        {isStale && <span class="stream lost">as of {spanMs(now - frame.unixMs)} ago</span>}
      </p>
      <div class={`stack${isStale ? " stale" : ""}`}>
        <LiveBody frame={frame} device={device} span={span} />
      </div>
    </>
  );
}

function Headline({ frame }: { frame: Frame }) {
  const finding = frame.findings[0];
  // A sentence that changes ten times a second cannot be read: it is about the last seconds, and stays for two.
  const said = useRef({ at: -Infinity, worst: null as string | null, row: null as number[] | null });
  if (frame.at - said.current.at >= 2 || frame.at < said.current.at) {
    const worst = live.focus();
    said.current = { at: frame.at, worst, row: worst ? live.mean(worst, 5) : null };
  }
  const { worst, row } = said.current;
  const isIdle = !row || !isActive(row);
  const title = finding ? finding.claim : isIdle ? "All disks are idle." : `${worst} does most: ${summary(row)}`;
  return (
    <div class="lead">
      <h1>{title}</h1>
      {!finding && <p>{isIdle ? "Load one, and this page shows where the time goes." : "No live rule finds anything unusual in these samples."}</p>}
      {frame.findings.length > 0 && <Findings findings={frame.findings} />}
    </div>
  );
}

function summary(row: number[]): string {
  const [reads, writes, read, written, readMs, writeMs] = row;
  const parts = [];
  if (reads > 0) parts.push(`${count(Math.round(reads))} reads/s of ${bytes(read / reads)}${readMs > 0 ? ` in ${durationNs(readMs * 1e6)}` : ""}`);
  if (writes > 0) parts.push(`${count(Math.round(writes))} writes/s of ${bytes(written / writes)}${writeMs > 0 ? ` in ${durationNs(writeMs * 1e6)}` : ""}`);
  // A number stays with its unit where the line ends.
  return `${parts.join(", ") || "nothing"}.`.replace(/(\d) (?=[kMGµmns]|[KMGT]?i?B\b)/g, "$1\u00a0");
}

export function LiveBody({ frame, device, span }: { frame: Frame; device: string; span: string }) {
  const place = usePlace();
  const seconds = spanSeconds(span, 60);
  const mode: MapMode = place.query.get("map") === "time" ? "time" : "count";
  useKeys({ v: () => setQuery({ map: mode === "time" ? null : "time" }) });
  const zoom = (way: 1 | -1 | 0) => {
    const at = SPANS.indexOf(span as (typeof SPANS)[number]);
    const next = way === 0 ? "1m" : SPANS[Math.max(0, Math.min(SPANS.length - 1, at - way))];
    setQuery({ span: next === "1m" ? null : next });
  };
  const maps = [...live.maps].filter(([key]) => key.startsWith(`${device} `));
  const to = frame.at;
  return (
    <>
      <DeviceTable frame={frame} device={device} showIdle={place.query.has("idle")} />
      <Section
        title={device}
        side={<span role="group" aria-label="Time shown">{SPANS.map((one) => (
          <button key={one} type="button" class="quiet" aria-pressed={one === span} onClick={() => setQuery({ span: one === "1m" ? null : one })}>{one}</button>
        ))}</span>}
      >
        <Charts device={device} to={to} seconds={seconds} frame={frame} zoom={zoom} />
      </Section>
      {maps.length > 0 && <div class="cards">
        {maps.map(([key, map]) => {
          const [, side, spanName] = key.split(" ");
          return <HeatMap key={key} title={`${side[0].toUpperCase()}${side.slice(1)} latency of ${device} (${spanName})`} map={map}
            from={to - Math.min(seconds, 300)} to={to} unixMs={frame.unixMs} mode={mode} onMode={(next) => setQuery({ map: next === "time" ? "time" : null })} />;
        })}
      </div>}
      <div class="cards">
        <Layers layers={frame.layers.filter((one) => one.device === device)} device={device} />
        <Cpus frame={frame} />
        <Dirty frame={frame} to={to} seconds={seconds} zoom={zoom} />
        <Who frame={frame} />
      </div>
    </>
  );
}

function DeviceTable({ frame, device, showIdle }: { frame: Frame; device: string; showIdle: boolean }) {
  const rows = devices(frame).map((name) => ({ name, row: deviceRow(frame, name) }));
  const shown = rows.filter(({ name, row }) => showIdle || name === device || isActive(row));
  const order = (one: { row: number[] }) => (Number.isNaN(one.row[6]) ? 0 : one.row[6]) * 1e6 + one.row[0] + one.row[1];
  shown.sort((a, b) => order(b) - order(a) || byName(a.name, b.name));
  const idle = rows.length - shown.length;
  return (
    <div class="card">
      <div class="scroll" tabIndex={0} role="region" aria-label="Devices">
        <table>
          <thead>
            <tr>
              <th scope="col">device</th>
              {DEVICE_COLUMNS.map((column) => <th scope="col" class="num" key={column.key} title={`${column.words} (${column.id})`}>{column.key}</th>)}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, row }) => (
              <tr key={name} class={name === device ? "here" : undefined}>
                <th scope="row"><button type="button" class="quiet mono" data-row aria-pressed={name === device} onClick={() => setQuery({ dev: name }, "push")}>{name}</button></th>
                {DEVICE_COLUMNS.map((column, index) => (
                  <td class="num" key={column.key}>{cellWords(row, index, frame.seconds)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">
        {idle > 0 || showIdle ? <button type="button" class="quiet" aria-pressed={showIdle} onClick={() => setQuery({ idle: showIdle ? null : "1" })}>{showIdle ? "hide the idle ones" : `${idle} idle, not shown`}</button> : null}
        {" "}A dash means that there is no such figure. Await is a mean: two bands have one where no I/O ever was.
      </p>
    </div>
  );
}

/** A figure of the device table. The kernel adds times up in whole milliseconds: nothing of them is a bound, not a zero. */
function cellWords(row: number[], index: number, seconds: number): string {
  const { kind } = DEVICE_COLUMNS[index];
  const amount = row[index];
  if (Number.isNaN(amount)) return "–";
  if (kind === "ms" && amount === 0) return `< ${durationNs(1e6 / Math.max(1, row[index - 4] * seconds))}`;
  // Rates of operations without decimals: what happens in a second is counted in whole ones.
  return value(kind, kind === "count" ? Math.round(amount) : amount);
}

function Charts({ device, to, seconds, frame, zoom }: { device: string; to: number; seconds: number; frame: Frame; zoom: (way: 1 | -1 | 0) => void }) {
  const history = live.histories.get(device);
  if (!history) return <Empty title={`${device || "No disk"} is idle.`}><p>Its curves begin with its first I/O.</p></Empty>;
  const from = to - seconds;
  const line = (label: string, column: number, look: { token: string; dash?: number[] }): Line => ({
    label, ...look, drawn: history.drawn(column, from, to, 600),
  });
  const common = { from, to, unixMs: frame.unixMs, isLive: true, onZoom: zoom };
  return (
    <div class="cards">
      <RatesChart {...common} title="I/Os per second" kind="count" lines={[line("read", 0, READ), line("write", 1, WRITE)]} />
      <RatesChart {...common} title="Bandwidth" kind="bytes/s" lines={[line("read", 2, READ), line("write", 3, WRITE)]} />
      <RatesChart {...common} title="Mean time of an I/O (await)" kind="ms" lines={[line("read", 4, READ), line("write", 5, WRITE)]} />
      <RatesChart {...common} title="I/Os in flight, mean" kind="plain" lines={[line("in flight", 6, { token: "ink" })]} />
    </div>
  );
}

const SPAN_WORDS: Record<string, string> = {
  Q2G: "waits for a request", G2I: "in the submitter's batch", I2D: "in the scheduler", G2D: "request to driver",
  D2C: "driver and device", Q2C: "all of it, by I/O", G2C: "all of it, by request",
};

function Layers({ layers, device }: { layers: ArmSpan[]; device: string }) {
  const why = live.head?.noLayers;
  if (!layers.length) {
    return (
      <figure class="card">
        <h3>Where an I/O spends its time</h3>
        <p class="dim">{why ? `Not traced: ${why}` : `No I/O of ${device || "this device"} was traced in the last sample.`}</p>
      </figure>
    );
  }
  const [low, high] = logRange(layers.flatMap((one) => [one.p50_ns, one.p99_ns]));
  const at = (ns: number) => `${(100 * Math.log(Math.max(ns, low) / low)) / Math.log(high / low)}%`;
  const sorted = [...layers].sort((a, b) => a.side.localeCompare(b.side));
  return (
    <figure class="card">
      <h3>Where an I/O spends its time, p50 to p99</h3>
      <div class="bars">
        {sorted.map((one) => (
          <div class="bar" key={`${one.side}${one.span}`} title={SPAN_WORDS[one.span]}>
            <span><span class="mono">{one.span}</span> <span class="dim">{one.side}</span></span>
            <span class="track">
              <span class={`fill${one.side === "read" ? " over" : ""}`} style={{ left: at(one.p50_ns), width: `calc(${at(one.p99_ns)} - ${at(one.p50_ns)})` }} />
              <span class="mark" style={{ left: at(one.p50_ns) }} />
            </span>
            <span class="num">{durationNs(one.p50_ns)} / {durationNs(one.p99_ns)}, n {count(one.ios)}</span>
          </div>
        ))}
      </div>
      <figcaption>From {durationNs(low)} to {durationNs(high)}, logarithmic. Percentiles of layers do not add up. {sorted.map((one) => one.span).filter((one, index, all) => all.indexOf(one) === index).map((one) => `${one}: ${SPAN_WORDS[one] ?? one}`).join("; ")}.</figcaption>
    </figure>
  );
}

function Cpus({ frame }: { frame: Frame }) {
  const cpus = Object.keys(frame.fields["cpu.busy_percent"] ?? {}).filter((one) => one !== "").sort(byName);
  if (!cpus.length) return null;
  const irq = (cpu: string) => field(frame, "irq.cpu.target_per_s", cpu) ?? 0;
  const all = cpus.reduce((sum, cpu) => sum + irq(cpu), 0);
  const busy = (cpu: string) => field(frame, "cpu.busy_percent", cpu) ?? 0;
  const sorted = cpus.length > 16 ? [...cpus].sort((a, b) => irq(b) - irq(a) || busy(b) - busy(a)).slice(0, 16) : cpus;
  return (
    <figure class="card">
      <h3>CPUs, and who takes the disks' interrupts</h3>
      <div class="bars">
        {sorted.map((cpu) => (
          <div class="bar" key={cpu}>
            <span>CPU {cpu}</span>
            <span class="track"><span class="fill" style={{ width: `${Math.min(100, busy(cpu))}%` }} /></span>
            <span class="num">
              {percent(busy(cpu))} busy{(field(frame, "cpu.softirq_percent", cpu) ?? 0) >= 1 ? `, softirq ${percent(field(frame, "cpu.softirq_percent", cpu)!)}` : ""}
              {all > 0 && irq(cpu) > 0 ? `, ${percent((100 * irq(cpu)) / all)} of ${count(Math.round(all))} irq/s` : ""}
            </span>
          </div>
        ))}
      </div>
      <figcaption>{cpus.length > 16 ? `The 16 busiest of ${cpus.length}. ` : ""}Bars are time in use; interrupts are those of the watched disks.</figcaption>
    </figure>
  );
}

function Dirty({ frame, to, seconds, zoom }: { frame: Frame; to: number; seconds: number; zoom: (way: 1 | -1 | 0) => void }) {
  const dirty = field(frame, "memory.dirty_bytes");
  const limit = field(frame, "memory.dirty_threshold_bytes");
  if (dirty === null) return null;
  const draw = (label: string, column: number, look: { token: string; dash?: number[] }): Line => ({
    label, ...look, drawn: live.machine.drawn(column, to - seconds, to, 600),
  });
  const lines = [draw("dirty", 0, { token: "s1" }), draw("writeback", 1, { token: "s2", dash: [6, 3] })];
  // The limits are lines of their own only where the dirty pages come near: else they would flatten the rest.
  if (limit !== null && dirty > limit / 8) lines.push(draw("background", 2, { token: "s3", dash: [2, 2] }), draw("limit", 3, { token: "ink" }));
  return (
    <RatesChart title="Dirty pages" kind="bytes" lines={lines} from={to - seconds} to={to} unixMs={frame.unixMs} isLive onZoom={zoom} caption={
      <>
        {limit !== null ? `${bytes(dirty)} of ${bytes(limit)}, at which writers wait (${percent((100 * dirty) / limit)}). ` : ""}
        Into the cache {bytesPerS(field(frame, "vm.dirtied_bytes_per_s") ?? 0)}, written back {bytesPerS(field(frame, "vm.written_bytes_per_s") ?? 0)}.
      </>
    } />
  );
}

function Who({ frame }: { frame: Frame }) {
  const names = new Set(["read_bytes_per_s", "write_bytes_per_s"].flatMap((id) => Object.keys(frame.fields[`process.${id}`] ?? {})));
  const rows = [...names].map((name) => ({
    name,
    read: field(frame, "process.read_bytes_per_s", name) ?? 0,
    write: field(frame, "process.write_bytes_per_s", name) ?? 0,
  }));
  rows.sort((a, b) => b.read + b.write - a.read - a.write);
  const active = rows.filter((one) => one.read + one.write > 0).slice(0, 8);
  const pressure = field(frame, "pressure.some_percent", "io");
  return (
    <figure class="card">
      <h3>Who reads and writes</h3>
      {active.length ? (
        <table>
          <thead><tr><th scope="col">process</th><th scope="col" class="num">reads</th><th scope="col" class="num">writes</th></tr></thead>
          <tbody>{active.map((one) => <tr key={one.name}><th scope="row" class="mono">{one.name}</th><td class="num">{bytesPerS(one.read)}</td><td class="num">{bytesPerS(one.write)}</td></tr>)}</tbody>
        </table>
      ) : <p class="dim">Nobody did, in the last sample.</p>}
      {pressure !== null && <figcaption>Some task waited for I/O {percent(pressure)} of the time, all of them {percent(field(frame, "pressure.full_percent", "io") ?? 0)} (PSI).</figcaption>}
    </figure>
  );
}
