// Small parts that several pages use.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { clock, percent } from "../core/units.ts";
import type { Finding } from "../core/documents.ts";
import { inline, type Inline } from "../core/markdown.ts";
import type { ApiError } from "../net/api.ts";
import type { Loaded } from "./load.ts";
import { address } from "../core/url.ts";

/** What failed and what to do, in the server's words. */
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <p><b>✗ {upper(error.message)}.</b> {error.whatToDo}</p>
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </div>
  );
}

const upper = (text: string): string => {
  const plain = text.replace(/\.$/, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** A document in any of its states; what was there before a failure stays, greyed and dated. */
export function Shown<T>({ of, lines = 4, children }: { of: Loaded<T>; lines?: number; children: (data: T) => ComponentChildren }) {
  if (of.data === null) {
    return of.error ? <Failure error={of.error} retry={of.reload} /> : <Waiting lines={lines} />;
  }
  return (
    <>
      {of.error && (
        <div class="note bad" role="alert">
          <p><b>✗ {upper(of.error.message)}.</b> What stands below is as of {clock(of.asOf)}. {of.error.whatToDo}</p>
          <button type="button" onClick={of.reload}>Try again</button>
        </div>
      )}
      <div class={`stack${of.error ? " stale" : ""}`} aria-busy={of.isLoading}>{children(of.data)}</div>
    </>
  );
}

/** Keeps the place of what is on its way. */
export function Waiting({ lines }: { lines: number }) {
  return (
    <div class="waiting" role="status">
      <span class="out">Loading</span>
      {Array.from({ length: lines }, (_, line) => <div key={line} class="bone" />)}
    </div>
  );
}

/** Nothing there: what would fill it, and the command. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="claim">{title}</p>
      {children}
    </div>
  );
}

/** Code, emphasis and links of a sentence. */
export function Words({ parts }: { parts: Inline[] }) {
  return (
    <>
      {parts.map((part, index) => {
        if (part.is === "code") return <code key={index}>{part.text}</code>;
        if (part.is === "strong") return <b key={index}>{part.text}</b>;
        if (part.is === "link" && /^https?:/.test(part.to)) {
          return <a key={index} href={part.to} target="_blank" rel="noreferrer">{part.text}</a>;
        }
        return <span key={index}>{part.text}</span>;
      })}
    </>
  );
}

export const Sentence = ({ text }: { text: string }) => <Words parts={inline(text)} />;

const MARKS = { wrong: "✗", warning: "!", note: "–" } as const;

/** One finding: the claim, what it rests on, what would refute it, and what to try. */
export function FindingView({ finding }: { finding: Finding }) {
  return (
    <details class={`finding ${finding.withdrawn ? "note" : finding.level}`}>
      <summary>
        <span class="mark" aria-hidden="true">{MARKS[finding.level] ?? "–"}</span>{" "}
        <span class="level">{finding.withdrawn ? "taken back" : finding.level}</span>{" "}
        <Sentence text={finding.claim} />
      </summary>
      <dl class="facts">
        {finding.withdrawn && <><dt>Taken back</dt><dd>{finding.withdrawn}</dd></>}
        {finding.costs?.length ? <><dt>Costs</dt><dd>{finding.costs.map((one) => `${percent(one.share * 100)} of ${one.load}`).join("; ")}</dd></> : null}
        {finding.proof && <><dt>Proof</dt><dd>{finding.proof.outcome}: <Sentence text={finding.proof.words} /></dd></>}
        {finding.evidence?.map((one) => <><dt>{one.name}</dt><dd class="num">{one.value}</dd></>)}
        {finding.refuted_by && <><dt>Would refute it</dt><dd><Sentence text={finding.refuted_by} /></dd></>}
        {finding.competing?.length ? <><dt>Looks the same</dt><dd>{finding.competing.map((one) => <p><Sentence text={one} /></p>)}</dd></> : null}
        {finding.advice && <><dt>To try</dt><dd><Sentence text={finding.advice} /></dd></>}
        {finding.experiment && <><dt>To decide</dt><dd><Sentence text={finding.experiment} /></dd></>}
        <dt>Rule</dt><dd><a href={address("catalogue", [], { q: finding.rule })}>{finding.rule}</a></dd>
      </dl>
    </details>
  );
}

/** Findings, the worst first. */
export function Findings({ findings }: { findings: Finding[] }) {
  const rank = (one: Finding) => (one.withdrawn ? 3 : { wrong: 0, warning: 1, note: 2 }[one.level] ?? 2);
  const sorted = [...findings].sort((a, b) => rank(a) - rank(b));
  return <div class="findings">{sorted.map((one, index) => <FindingView key={`${one.rule}${index}`} finding={one} />)}</div>;
}

/** A command that somebody may want to copy. */
export function Command({ line }: { line: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setSaid("copied");
    } catch {
      setSaid("select it and copy it: the browser does not let a page do that here");
    }
  };
  return (
    <span class="command">
      <code>{line}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy ${line}`}>copy</button>
      <span class="said" role="status">{said}</span>
    </span>
  );
}

export function Section({ title, id, children, side }: { title: string; id?: string; children: ComponentChildren; side?: ComponentChildren }) {
  return (
    <section id={id} class="section">
      <div class="head"><h2>{title}</h2>{side && <div class="side">{side}</div>}</div>
      {children}
    </section>
  );
}
