// Starting a run, a check or a tune: a target, what is to be done, and the same line for a terminal.

import { useState } from "preact/hooks";
import { moment, spanMs } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get, post } from "../net/api.ts";
import { entries } from "../net/catalogue.ts";
import { isAtWork } from "../core/job.ts";
import type { CatalogueEntry as Entry, Job, JobList, JobVerb, Target } from "../core/documents.ts";
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

/** What is typed and not chosen, by the name of its option. */
type Texts = Record<string, string>;
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
/** Of the meters that a tune may be judged by, those for which a command is started or an address asked: what the line for a terminal says of it. */
const TYPED: Record<string, string> = { printed: "--command 'COMMAND'", result: "--command 'COMMAND' --run-again", duration: "--command 'COMMAND' --run-again", prometheus: "--prometheus http://HOST:9090 --query 'COUNTER'" };
const isOfGroup = (metric: string | undefined) => !!metric?.startsWith("group_");
const metricOf = (known: Entry[]): Choice => {
  return { name: "metric", words: "Judged by", values: ["usual", ...known.filter((entry) => entry.kind === "meter").map((entry) => entry.id)], usual: "usual" };
};
function choicesOf(verb: JobVerb, isTheirs: boolean, known: Entry[]): Choice[] {
  if (verb !== "tune") return BY_VERB[verb];
  // What others do has no block size of ours.
  const own = isTheirs ? BY_VERB.tune.filter((choice) => !LOAD.includes(choice)) : BY_VERB.tune;
  return [ENGINE, ...own, metricOf(known)];
}
const NUMBERS = new Set(["iodepth", "numjobs", "runtime_s", "budget_s"]);
/** As `--stop-if` has it, and as the server takes it. */
const BOUND = "[a-z]{1,10}(\\.[a-z]{1,10})? ?[<>] ?[0-9.]{1,20}[A-Za-z\\/]{0,10}";
/** A control group, as the server takes it. */
const GROUP = "/?[A-Za-z0-9_\\-][A-Za-z0-9_.:@\\\\\\-]*(/[A-Za-z0-9_\\-][A-Za-z0-9_.:@\\\\\\-]*)*";
/** What stands behind a knob: values, a subject before them where there are several. */
const VALUES = `(@${GROUP.replaceAll("@", "")}=)?[A-Za-z0-9_.,:\\-]{1,200}`;

/** A knob as `--knob` takes it. */
function asked(knob: string, values: string): string {
  return values.startsWith("@") ? knob + values : values ? `${knob}=${values}` : knob;
}

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/** The same on a terminal, as far as the choices differ from what is usual. */
function commandLine(verb: JobVerb, target: Target, choices: Choice[], chosen: Record<string, string>, knobs: string[], texts: Texts): string {
  const words = choices.flatMap(({ name, usual }) => {
    const value = chosen[name] ?? usual;
    if (value === usual && name !== "budget_s") return [];
    if (name === "depth") return [`--${value}`];
    if (name === "runtime_s") return [`--runtime ${value}s`];
    if (name === "budget_s") return [`--budget ${value}s`];
    if (name === "metric" && value in TYPED) return [TYPED[value]!, `--metric ${value}`];
    return [`--${name.replace("_", "-")} ${value}`];
  });
  const given = Object.entries(texts).map(([name, text]) => `--${name.replace("_", "-")} ${quoted(text)}`);
  const rest = [...knobs.map((knob) => `--knob ${quoted(knob)}`), ...given];
  return [`${verb === "tune" ? "sudo " : ""}iodyno`, verb, quoted(target.path), ...words, ...rest].join(" ");
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
  const all = catalogue.data ?? [];
  const known = all.filter((entry) => entry.kind === "knob").map((entry) => entry.id);
  const choices = choicesOf(verb, query.get("ioengine") === "none", all);
  const [knobs, setKnobs] = useState<Record<string, string>>({});
  const chosen = Object.fromEntries(choices.map(({ name, usual: value }) => [name, query.get(name) ?? value]));
  const tuned = verb === "tune" ? Object.entries(knobs).map(([knob, values]) => asked(knob, values)) : [];
  const typed = (name: string) => (verb === "tune" ? query.get(name) ?? "" : "");
  const [bound, group] = [typed("stop_if"), isOfGroup(chosen.metric) ? typed("cgroup") : ""];
  const texts: Texts = { ...(group && { cgroup: group }), ...(bound && { stop_if: bound }) };
  const isForTerminal = verb === "tune" && String(chosen.metric) in TYPED;
  const action = useAction(async () => {
    const options: Options = {};
    for (const [name, value] of Object.entries(chosen)) {
      // What is usual is for the verb to know.
      if (["depth default", "size usual", "ioengine own", "metric usual"].includes(`${name} ${value}`)) continue;
      options[name] = name === "direct" ? value === "1" : NUMBERS.has(name) ? Number(value) : value;
    }
    if (tuned.length) options.knobs = tuned;
    if (bound) options.stop_if = [bound];
    if (group) options.cgroup = group;
    const job = await post<Job>("/jobs", { verb, target: target.key, options });
    go(address("runs", [job.id]));
  });
  const writes = verb !== "check" && /write|rw/.test(String(chosen.rw));
  const stops = !target.safe_to_load || (target.kind === "disk" && writes);
  const isStopped = stops || isBusy || isForTerminal;
  const why = target.kind === "disk" && writes ? `Writing would destroy what is on ${target.path}; choose a directory on it.` : target.why_not;
  return (
    <form class="card" onSubmit={(event) => { event.preventDefault(); if (!isStopped) void action.start(); }}>
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
        {verb === "tune" && isOfGroup(chosen.metric) && (
          <label class="field">Control group
            <input type="text" name="cgroup" placeholder="system.slice/postgresql.service" required pattern={GROUP} value={group} onInput={(event) => setQuery({ cgroup: event.currentTarget.value || null })} />
          </label>
        )}
        {verb === "tune" && (
          <label class="field">Put back and end if
            <input type="text" name="stop_if" placeholder="await>20ms" pattern={BOUND} value={bound} onInput={(event) => setQuery({ stop_if: event.currentTarget.value || null })} />
          </label>
        )}
      </div>
      {verb === "tune" && (
        <fieldset class="row">
          <legend>Settings to try; none chosen: those that suit the load</legend>
          {known.map((knob) => {
            const { [knob]: values, ...others } = knobs;
            return (
              <label class="line" key={knob}>
                <input type="checkbox" checked={values !== undefined} onChange={() => setKnobs(values === undefined ? { ...knobs, [knob]: "" } : others)} />
                <span class="mono">{knob}</span>
                {values !== undefined && (
                  <input type="text" name={`values-${knob}`} aria-label={`Values of ${knob}`} placeholder="its own choices" pattern={VALUES} value={values} onInput={(event) => setKnobs({ ...knobs, [knob]: event.currentTarget.value })} />
                )}
              </label>
            );
          })}
          {tuned.length > 0 && <p class="dim">Values as <span class="mono">64,256</span>; of one interrupt or control group as <span class="mono">@24=0:1</span>, <span class="mono">@/system.slice/backup.service=50m,max</span>.</p>}
        </fieldset>
      )}
      {why && <p class={stops ? "note bad" : "note"}><span>{stops ? "✗ Not from here: " : "– "}{why}</span></p>}
      {isForTerminal && <p class="note"><span>– A command or an address is taken only where its user types it: put yours into this line, in a terminal.</span></p>}
      <p><Command line={commandLine(verb, target, choices, chosen, tuned, texts)} /></p>
      <p><button type="submit" class="first" data-start disabled={isStopped || action.isBusy}>Start this {verb}</button></p>
      {action.error && <Failure error={action.error} />}
    </form>
  );
}
