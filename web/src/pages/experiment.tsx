// The experiment as it decides: arms, pairs, the interval that closes, and the hold-out once there is one.

import { PairsChart, type Interval, type Pair } from "../charts/pairs.tsx";
import { percentSigned, spanMs } from "../core/units.ts";

/** What a page knows of an experiment at work. */
export interface ExperimentView {
  knob: string;
  device: string;
  /** What holds so far, in a sentence. */
  sentence: string;
  stage: string;
  arms: { arm: string; effect: number | null; low: number | null; high: number | null; dropped?: boolean }[];
  pairs: Pair[];
  running: Interval[];
  held: { effect: number; low: number; high: number } | null;
  leftMs: number | null;
}

/** The newest experiment in the documents of a tune; none where none has begun. */
export function experimentOf(_steps: Record<string, unknown>[]): ExperimentView | null {
  return null;
}

export function Experiment({ view }: { view: ExperimentView }) {
  return (
    <figure class="card">
      <div class="head">
        <h3>{view.knob} on {view.device}: {view.stage}</h3>
        {view.leftMs !== null && <span class="dim">at most {spanMs(view.leftMs)} left</span>}
      </div>
      <table>
        <thead><tr><th scope="col">value</th><th scope="col" class="num">against the first</th><th scope="col" class="num">interval</th><th scope="col">state</th></tr></thead>
        <tbody>
          {view.arms.map((arm, index) => (
            <tr key={arm.arm}>
              <th scope="row" class="mono">{String.fromCharCode(65 + index)} {arm.arm}</th>
              <td class="num">{index === 0 ? "set now" : arm.effect === null ? "–" : percentSigned(arm.effect)}</td>
              <td class="num">{arm.low === null || arm.high === null ? "–" : `${percentSigned(arm.low)} to ${percentSigned(arm.high)}`}</td>
              <td class="dim">{arm.dropped ? "out of the race" : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <PairsChart title={view.sentence} pairs={view.pairs} running={view.running} held={view.held} />
      <figcaption>The running interval holds at every moment, so looking at it changes nothing. What is claimed at the end comes from fresh pairs.</figcaption>
    </figure>
  );
}
