// A load that is at work, or was: what it says so far, its curves, and the button that stops it and puts everything back.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Interval, Job, JobEvent } from "../core/documents.ts";
import { isAtWork, JobStory, perSecond } from "../core/job.ts";
import { bytesPerS, count, durationNs, spanMs } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get, remove } from "../net/api.ts";
import { live } from "../net/live.ts";
import { RatesChart, READ, WRITE, type Line } from "../charts/rates.tsx";
import { useAction, useLoad, useSecond } from "../ui/load.ts";
import { Command, Failure, Section, Shown } from "../ui/parts.tsx";
import { experimentOf } from "../core/experiment.ts";
import { Experiment } from "./experiment.tsx";

export function RunPage({ id, isReadOnly }: { id: string; isReadOnly: boolean }) {
  const job = useLoad(`job ${id}`, (signal) => get<Job>(`/jobs/${encodeURIComponent(id)}`, signal));
  return <Shown of={job} lines={8}>{(data) => <OneJob key={data.id} job={data} isReadOnly={isReadOnly} />}</Shown>;
}

function useStory(job: Job): JobStory {
  const story = useRef<JobStory | null>(null);
  story.current ??= new JobStory(job);
  const [, set] = useState(0);
  useEffect(() => {
    let scheduled = 0;
    const draw = () => {
      if (!scheduled) scheduled = window.setTimeout(() => { scheduled = 0; set((before) => before + 1); }, 100);
    };
    const off = live.onJob((data) => {
      if (story.current!.take(JSON.parse(data) as JobEvent)) draw();
    });
    // Events of a hidden tab, or of a stream that was lost, are made up for by asking.
    const ask = async () => {
      if (document.hidden || !isAtWork(story.current!.job)) return;
      try {
        story.current!.refresh(await get<Job>(`/jobs/${job.id}`));
        draw();
      } catch {
        // The state of the stream, above every page, says that the server cannot be reached.
      }
    };
    const timer = window.setInterval(ask, 5_000);
    document.addEventListener("visibilitychange", ask);
    return () => {
      off();
      window.clearInterval(timer);
      window.clearTimeout(scheduled);
      document.removeEventListener("visibilitychange", ask);
    };
  }, [job.id]);
  return story.current;
}

function OneJob({ job: first, isReadOnly }: { job: Job; isReadOnly: boolean }) {
  const story = useStory(first);
  const { job } = story;
  const now = useSecond();
  const stop = useAction(async () => {
    story.refresh(await remove<Job>(`/jobs/${job.id}`));
  });
  const atWork = isAtWork(job);
  const took = (job.ended_unix_ms ?? now) - job.started_unix_ms;
  const experiment = experimentOf(story.steps);
  const kept = useLoad(!atWork && job.record ? `summary ${job.record}` : null, (signal) => get<{ record: { summary: string } }>(`/records/${job.record}`, signal));
  return (
    <>
      <div class="lead">
        <h1>{kept.data?.record.summary ?? headline(story, experiment?.sentence ?? null)}</h1>
        <p>
          <span class="chip">{job.verb}</span> {job.target.path} · <span data-state={job.state} role="status">{stateWords(job)}</span>{atWork ? ` · ${spanMs(took)}` : ""}
        </p>
        <p class="row">
          {atWork && !isReadOnly && <button type="button" data-stop disabled={stop.isBusy || job.state === "stopping"} onClick={() => stop.start()}>{job.state === "stopping" ? "Stopping, putting everything back" : "Stop and put everything back"}</button>}
          {job.record && <a class="button" href={address("records", [job.record])}>Open record {job.record}</a>}
          {!atWork && <a class="button" href={address("start", [], { verb: job.verb, target: job.target.key })}>Another one</a>}
          <a class="button" href={address("live")}>The machine, live</a>
        </p>
      </div>
      {stop.error && <Failure error={stop.error} />}
      {!atWork && job.everything_back === false && <p class="note bad"><span><b>✗ Not everything is back.</b> {job.outcome} <a href={address("changes")}>Changes</a></span></p>}
      {job.state === "failed" && <p class="note bad"><span><b>✗ {job.outcome}</b></span></p>}
      {experiment && <Experiment view={experiment} isAtWork={atWork} />}
      <Curves story={story} />
      <Section title="What it says">
        <Log job={job} />
        <p><Command line={job.command} /></p>
      </Section>
    </>
  );
}

function stateWords(job: Job): string {
  switch (job.state) {
    case "running":
      return "at work";
    case "stopping":
      return "stopping";
    default:
      return `${job.state}${job.everything_back ? ", nothing left to undo" : ""}`;
  }
}

function headline(story: JobStory, claim: string | null): string {
  const { job } = story;
  if (!isAtWork(job) && job.state !== "failed") {
    return job.record ? `The ${job.verb} has ended; record ${job.record}.` : job.outcome ?? `The ${job.verb} has ended.`;
  }
  if (job.state === "failed") return `The ${job.verb} ended without a result.`;
  if (claim) return claim;
  const interval = story.intervals[story.intervals.length - 1];
  if (interval) return `${sofar(interval)} so far`;
  return job.progress[job.progress.length - 1]?.text ?? "Gates and lint are at work.";
}

function sofar(interval: Interval): string {
  const sides = (["read", "write"] as const).filter((side) => interval[side].ios > 0);
  if (!sides.length) return "no I/O completed in the last interval";
  return sides.map((side) => `${side} ${count(Math.round(perSecond(interval[side].ios, interval)))} IOPS, ${bytesPerS(perSecond(interval[side].bytes, interval))}, p99 ${durationNs(interval[side].p99_ns)}`).join("; ");
}

function Curves({ story }: { story: JobStory }) {
  const { intervals } = story;
  if (!intervals.length) return null;
  const last = intervals[intervals.length - 1];
  const to = (last.start_ms + last.length_ms) / 1000;
  const unixMs = story.job.started_unix_ms + to * 1000;
  const has = { read: intervals.some((one) => one.read.ios > 0), write: intervals.some((one) => one.write.ios > 0) };
  const sides = (["read", "write"] as const).filter((side) => has[side]);
  const lines = (figure: (interval: Interval, side: "read" | "write") => number | null): Line[] =>
    sides.map((side) => ({ label: side, ...(side === "read" ? READ : WRITE), drawn: story.drawn((interval) => figure(interval, side)) }));
  const common = { from: Math.min(0, to - 1), to, unixMs };
  return (
    <div class="cards">
      <RatesChart {...common} title="I/Os per second, by interval" kind="count" lines={lines((interval, side) => Math.round(perSecond(interval[side].ios, interval)))} />
      <RatesChart {...common} title="p99 of each interval" kind="ns" lines={lines((interval, side) => (interval[side].ios ? interval[side].p99_ns : null))} />
      <RatesChart {...common} title="Median of each interval" kind="ns" lines={lines((interval, side) => (interval[side].ios ? interval[side].p50_ns : null))} />
      <RatesChart {...common} title="Bandwidth" kind="bytes/s" lines={lines((interval, side) => perSecond(interval[side].bytes, interval))} />
    </div>
  );
}

function Log({ job }: { job: Job }) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [job.progress.length]);
  if (!job.progress.length) return <p class="dim">Nothing yet.</p>;
  return (
    <pre class="log" ref={box} tabIndex={0} onScroll={(event) => {
      const element = event.currentTarget;
      isAtEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - 20;
    }}>{job.progress.map((line) => line.text).join("\n")}</pre>
  );
}
