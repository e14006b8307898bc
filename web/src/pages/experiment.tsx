// The experiment as it decides: the values in the race, and the interval that closes. The claim comes from the record.

import type { ExperimentView } from "../core/experiment.ts";
import { RATIO_TICKS, ratioReach } from "../core/scale.ts";
import { percentSigned, spanMs } from "../core/units.ts";

const WIDTH = 760;
const HEIGHT = 180;
const LEFT = 60;
const RIGHT = 150;

export function Experiment({ view, isAtWork }: { view: ExperimentView; isAtWork: boolean }) {
  const whole = view.spentMs + (view.leftMs ?? 0);
  return (
    <figure class="card" data-experiment>
      <div class="head">
        <h3>{view.knob} on {view.device}: {view.stage}{view.pairs ? `, ${view.pairs} pairs` : ""}</h3>
        {isAtWork && view.leftMs !== null && <span class="dim">some {spanMs(view.leftMs)} left{view.rate && `, now ${view.rate}`}</span>}
      </div>
      {isAtWork && whole > 0 && <progress max={whole} value={view.spentMs} aria-label="Time of the experiment" />}
      <div class="scroll">
        <table>
          <thead><tr><th scope="col">value</th><th scope="col" class="num">so far</th><th scope="col" class="num">interval</th><th scope="col">state</th></tr></thead>
          <tbody>
            <tr><th scope="row" class="mono">A {view.first || "set now"}</th><td class="num">set now</td><td class="num">–</td><td /></tr>
            {view.arms.map((arm, index) => (
              <tr key={arm.arm}>
                <th scope="row" class="mono">{String.fromCharCode(66 + index)} {arm.arm}</th>
                <td class="num">{arm.change}</td>
                <td class="num">{arm.interval}</td>
                <td class="dim">{arm.standing}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {view.running.length > 0 ? <Closing view={view} /> : <p class="dim">The interval is drawn from the first look on.</p>}
      <figcaption>The interval holds at every moment, so that looking at it changes nothing. What is claimed in the end comes from fresh pairs, the hold-out.</figcaption>
    </figure>
  );
}

/** The running interval over pairs: it begins off the scale and closes. */
function Closing({ view: { running, shown, knob } }: { view: ExperimentView }) {
  const last = running[running.length - 1];
  const reach = Math.max(ratioReach([last.estimate]), Math.min(Math.log(4), Math.max(Math.abs(last.low), Math.abs(last.high)) * 1.15));
  const most = Math.max(12, last.n);
  const x = (n: number) => LEFT + (n / most) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => 10 + ((reach - Math.max(-reach, Math.min(reach, value))) / (2 * reach)) * (HEIGHT - 36);
  const ticks = RATIO_TICKS.filter(([at]) => Math.abs(at) <= reach);
  const placed = ticks.filter(([at], index) => at === 0 || (Math.abs(y(at) - y(0)) > 13 && (index === 0 || ticks.slice(0, index).every(([other]) => Math.abs(y(other) - y(at)) > 13))));
  const upper = running.map((one) => `${x(one.n)} ${y(one.high)}`);
  const lower = running.map((one) => `${x(one.n)} ${y(one.low)}`).reverse();
  const words = `${knob}: ${shown} after ${last.n} pairs ${percentSigned(Math.exp(last.estimate) - 1)}`;
  return (
    <div class="pairs">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <rect class="zone" x={LEFT} width={WIDTH - LEFT - RIGHT} y={y(Math.log(1.02))} height={Math.max(1, y(-Math.log(1.02)) - y(Math.log(1.02)))} />
        {placed.map(([at, label]) => <g key={label}><line class={at === 0 ? "zero" : "grid"} x1={LEFT} x2={WIDTH - RIGHT} y1={y(at)} y2={y(at)} /><text x={LEFT - 6} y={y(at) + 4} text-anchor="end">{label}</text></g>)}
        {running.length > 1
          ? <path class="ribbon" d={`M${upper.join("L")}L${lower.join("L")}Z`} />
          : <line class="estimate" x1={x(last.n)} x2={x(last.n)} y1={y(last.high)} y2={y(last.low)} />}
        <path class="estimate" fill="none" d={`M${running.map((one) => `${x(one.n)} ${y(one.estimate)}`).join("L")}`} />
        <text class="claim" x={x(last.n) + 6} y={y(last.estimate) + 4}>{shown} {percentSigned(Math.exp(last.estimate) - 1)}</text>
        <text x={LEFT} y={HEIGHT - 6}>pairs</text>
        <text x={x(last.n)} y={HEIGHT - 6} text-anchor="middle">{last.n}</text>
      </svg>
    </div>
  );
}
