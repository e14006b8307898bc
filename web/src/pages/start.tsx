// Starting a run, a check or a tune: a target, what is to be done, and the same line for a terminal.

import { useState } from "preact/hooks";
import { moment, spanMs } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get, post } from "../net/api.ts";
import { entries } from "../net/catalogue.ts";
import { isAtWork } from "../core/job.ts";
import type { Job, JobList, JobVerb, Target } from "../core/documents.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { Command, Empty, Failure, Section, Shown } from "../ui/parts.tsx";
import { go, setQuery, usePlace } from "../ui/router.ts";
import { targets, usual } from "./machine.tsx";

export const jobs = async (signal?: AbortSignal): Promise<Job[]> => {
  return (await get<JobList>("/jobs", signal)).jobs;
};

const VERBS: { verb: JobVerb; title: string; words: string }[] = [
  { verb: "run", title: "Run", words: "one measured load, kept as a record; changes no setting" },
  { verb: "check", title: "Check", words: "why it is slow, by short safe loads and all rules; changes no setting" },
  { verb: "tune", title: "Tune", words: "proves which setting helps; switches settings while it measures and puts every one back" },
];

type Options = Record<string, string | number | boolean | string[]>;

interface Choice {
  name: string;
  words: string;
  values: string[];
  usual: string;
  /** What a value is called, where the word of the command line says too little. */
  called?: Record<string, string>;
}

const ENGINE: Choice = { name: "ioengine", words: "Whose load", values: ["own", "none"], usual: "own", called: { own: "one of ours", none: "what others do" } };

const LOAD: Choice[] = [
  { name: "rw", words: "What", values: ["randread", "read", "randwrite", "write", "randrw", "rw"], usual: "randread" },
  { name: "bs", words: "Block size", values: ["4k", "8k", "16k", "64k", "128k", "1m"], usual: "4k" },
  { name: "iodepth", words: "Depth", values: ["1", "4", "8", "16", "32", "64", "128"], usual: "32" },
  { name: "numjobs", words: "Jobs", values: ["1", "2", "4", "8"], usual: "1" },
  { name: "size", words: "Bytes to use", values: ["usual", "64m", "256m", "1g", "4g", "16g"], usual: "usual" },
  { name: "direct", words: "Page cache", values: ["1", "0"], usual: "1", called: { 1: "past it", 0: "through it" } },
];
const BY_VERB: Record<JobVerb, Choice[]> = {
  run: [...LOAD, { name: "runtime_s", words: "Seconds", values: ["3", "10", "30", "60", "300"], usual: "10" }],
  check: [{ name: "depth", words: "How thorough", values: ["quick", "default", "deep"], usual: "default" }],
  tune: [...LOAD, { name: "budget_s", words: "Seconds in all", values: ["30", "60", "180", "300", "900"], usual: "180" }],
};
/** What the values of a tune may be judged by: the meters that need no command typed on the machine. */
const METERS = ["iops", "bandwidth", "latency", "p99", "p999", "device_iops", "device_bandwidth", "postgresql", "mysql"];
const METRIC: Choice = { name: "metric", words: "Judged by", values: ["usual", ...METERS], usual: "usual" };
function choicesOf(verb: JobVerb, isTheirs: boolean): Choice[] {
  if (verb !== "tune") return BY_VERB[verb];
  // What others do has no block size of ours.
  const own = isTheirs ? BY_VERB.tune.filter((choice) => !LOAD.includes(choice)) : BY_VERB.tune;
  return [ENGINE, ...own, METRIC];
}
const NUMBERS = new Set(["iodepth", "numjobs", "runtime_s", "budget_s"]);
/** As `--stop-if` has it, and as the server takes it. */
const BOUND = "[a-z]{1,10}(\\.[a-z]{1,10})? ?[<>] ?[0-9.]{1,20}[A-Za-z\\/]{0,10}";

/** The same on a terminal, as far as the choices differ from what is usual. */
function commandLine(verb: JobVerb, target: Target, choices: Choice[], chosen: Record<string, string>, knobs: string[], bound: string): string {
  const words = choices.flatMap(({ name, usual }) => {
    const value = chosen[name] ?? usual;
    if (value === usual && name !== "budget_s") return [];
    if (name === "depth") return [`--${value}`];
    if (name === "runtime_s") return [`--runtime ${value}s`];
    if (name === "budget_s") return [`--budget ${value}s`];
    return [`--${name.replace("_", "-")} ${value}`];
  });
  const path = /^[\w@%+=:,./-]+$/.test(target.path) ? target.path : `'${target.path.replace(/'/g, "'\\''")}'`;
  const rest = [...knobs.map((knob) => `--knob ${knob}`), ...(bound ? [`--stop-if '${bound}'`] : [])];
  return [`${verb === "tune" ? "sudo " : ""}iodyno`, verb, path, ...words, ...rest].join(" ");
}

export function Start() {
  const all = useLoad("targets", targets);
  const known = useLoad("jobs", jobs);
  const running = known.data?.find(isAtWork);
  return (
    <>
      <div class="lead">
        <h1>{running ? `A ${running.verb} is at work on ${running.target.path}.` : "Load a target and measure it."}</h1>
        <p>{running ? <>One load at a time: two would spoil each other. <a href={address("runs", [running.id])}>Watch it</a></> : "Directories get a scratch file that is gone at the end. A disk is only read from here: what destroys data is for the command line."}</p>
      </div>
      <Shown of={all} lines={8}>{(list) => list.length ? <Form list={list} isBusy={!!running} /> : <Empty title="There is nothing here to load." />}</Shown>
      <Section title="Started from here">
        <Shown of={known}>
          {(list) => list.length === 0 ? <p class="dim">Nothing since the server began. Older results are in the <a href={address("records")}>records</a>.</p> : (
            <div class="card scroll">
              <table>
                <thead><tr><th scope="col">job</th><th scope="col">what</th><th scope="col">state</th><th scope="col">when</th><th scope="col">took</th><th scope="col">record</th></tr></thead>
                <tbody>{list.map((job) => (
                  <tr key={job.id}>
                    <th scope="row"><a href={address("runs", [job.id])}>{job.id}</a></th><td class="mono">{job.command}</td><td>{job.state}</td><td class="dim">{moment(job.started_unix_ms)}</td>
                    <td class="num">{job.ended_unix_ms ? spanMs(job.ended_unix_ms - job.started_unix_ms) : "–"}</td><td>{job.record ? <a href={address("records", [job.record])}>{job.record}</a> : "–"}</td>
                  </tr>
                ))}</tbody>
              </table>
            </div>
          )}
        </Shown>
      </Section>
    </>
  );
}

function Form({ list, isBusy }: { list: Target[]; isBusy: boolean }) {
  const { query } = usePlace();
  const verb = (VERBS.find((one) => one.verb === query.get("verb"))?.verb ?? "run") as JobVerb;
  const target = list.find((one) => one.key === query.get("target")) ?? usual(list)!;
  const catalogue = useLoad("catalogue", entries);
  const known = (catalogue.data ?? []).filter((entry) => entry.kind === "knob").map((entry) => entry.id);
  const choices = choicesOf(verb, query.get("ioengine") === "none");
  const [knobs, setKnobs] = useState<string[]>([]);
  const chosen = Object.fromEntries(choices.map(({ name, usual: value }) => [name, query.get(name) ?? value]));
  const tuned = verb === "tune" ? knobs : [];
  const bound = verb === "tune" ? query.get("stop_if") ?? "" : "";
  const action = useAction(async () => {
    const options: Options = {};
    for (const [name, value] of Object.entries(chosen)) {
      // What is usual is for the verb to know.
      if (["depth default", "size usual", "ioengine own", "metric usual"].includes(`${name} ${value}`)) continue;
      options[name] = name === "direct" ? value === "1" : NUMBERS.has(name) ? Number(value) : value;
    }
    if (tuned.length) options.knobs = tuned;
    if (bound) options.stop_if = [bound];
    const job = await post<Job>("/jobs", { verb, target: target.key, options });
    go(address("runs", [job.id]));
  });
  const writes = verb !== "check" && /write|rw/.test(String(chosen.rw));
  const stops = !target.safe_to_load || (target.kind === "disk" && writes);
  const why = target.kind === "disk" && writes ? `Writing would destroy what is on ${target.path}; choose a directory on it.` : target.why_not;
  return (
    <form class="card" onSubmit={(event) => { event.preventDefault(); if (!stops && !isBusy) void action.start(); }}>
      <div role="radiogroup" aria-label="What to start" class="steps">
        {VERBS.map((one) => (
          <label class="line" key={one.verb}>
            <input type="radio" name="verb" value={one.verb} checked={one.verb === verb} onChange={() => setQuery({ verb: one.verb })} />
            <span><b>{one.title}</b> <span class="dim">{one.words}</span></span>
          </label>
        ))}
      </div>
      <div class="form">
        <label class="field">Target
          <select name="target" value={target.key} onChange={(event) => setQuery({ target: event.currentTarget.value })}>
            {list.map((one) => <option key={one.key} value={one.key}>{one.path} ({one.kind}{one.safe_to_load ? "" : ", not from here"})</option>)}
          </select>
        </label>
        {choices.map((choice) => (
          <label class="field" key={choice.name}>{choice.words}
            <select name={choice.name} value={chosen[choice.name]} onChange={(event) => setQuery({ [choice.name]: event.currentTarget.value === choice.usual ? null : event.currentTarget.value })}>
              {[...new Set([...choice.values, chosen[choice.name]])].map((value) => <option key={value} value={value}>{choice.called?.[value] ?? value}</option>)}
            </select>
          </label>
        ))}
        {verb === "tune" && (
          <label class="field">Put back and end if
            <input type="text" name="stop_if" placeholder="await>20ms" pattern={BOUND} value={bound} onInput={(event) => setQuery({ stop_if: event.currentTarget.value || null })} />
          </label>
        )}
      </div>
      {verb === "tune" && (
        <fieldset class="row">
          <legend>Settings to try; none chosen: those that suit the load</legend>
          {known.map((knob) => (
            <label class="line" key={knob}>
              <input type="checkbox" checked={knobs.includes(knob)} onChange={() => setKnobs(knobs.includes(knob) ? knobs.filter((one) => one !== knob) : [...knobs, knob])} />
              <span class="mono">{knob}</span>
            </label>
          ))}
        </fieldset>
      )}
      {why && <p class={stops ? "note bad" : "note"}><span>{stops ? "✗ Not from here: " : "– "}{why}</span></p>}
      <p><Command line={commandLine(verb, target, choices, chosen, tuned, bound)} /></p>
      <p><button type="submit" class="first" data-start disabled={isBusy || stops || action.isBusy }>Start this {verb}</button></p>
      {action.error && <Failure error={action.error} />}
    </form>
  );
}
