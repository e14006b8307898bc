// What iodyno changed here and what still holds; what a record would change, shown before it is done; taking it back.

import { useState } from "preact/hooks";
import { moment } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get, post } from "../net/api.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { Command, Empty, Failure, Section, Shown } from "../ui/parts.tsx";
import { setQuery, usePlace } from "../ui/router.ts";
import type { Journal, Plan, RecordList, Status } from "../core/documents.ts";

export function Changes({ isReadOnly }: { isReadOnly: boolean }) {
  const place = usePlace();
  const status = useLoad("changes", (signal) => get<Status>("/changes", signal));
  const record = Number(place.query.get("record")) || null;
  const open = status.data?.journals.filter((one) => !one.running) ?? [];
  const pending = open.filter((one) => one.pending && !one.kept);
  return (
    <>
      <div class="lead">
        <h1>
          {!status.data ? "Changes on this machine"
            : pending.length ? "Something ended before it had put everything back."
            : open.length ? `${open.length === 1 ? "One change is" : `${open.length} changes are`} in place.`
            : "No change of iodyno stands here."}
        </h1>
        <p>{pending.length ? "Below is what to do about it: every old value is in its journal." : "Every value is saved before it is changed, and can be put back from here or by "}{!pending.length && <Command line="sudo iodyno undo" />}</p>
      </div>
      {record !== null && <PlanView record={record} isReadOnly={isReadOnly} done={() => { setQuery({ record: null, persist: null }); status.reload(); }} />}
      <Shown of={status}>
        {(document) => document.journals.length
          ? <Section title="What iodyno changed">{document.journals.map((one) => <JournalView key={one.id} journal={one} isReadOnly={isReadOnly} done={status.reload} />)}</Section>
          : null}
      </Shown>
      {record === null && <Proved />}
    </>
  );
}

function JournalView({ journal, isReadOnly, done }: { journal: Journal; isReadOnly: boolean; done: () => void }) {
  const action = useAction(async () => {
    await post("/changes/undo", { journal: journal.id });
    done();
  });
  const changed = journal.settings.filter((one) => one.was !== one.is);
  const way = journal.way_out;
  return (
    <div class="card">
      <div class="head">
        <h3>{journal.purpose} <span class="dim">{moment(journal.unix_ms)}</span></h3>
        <span class={`chip${journal.pending && !journal.kept && !journal.running ? " warning" : ""}`}>{journal.running ? "at work now" : journal.kept ? "kept on purpose" : journal.pending ? "! not put back" : "put back"}</span>
      </div>
      {changed.length === 0 && <p class="dim">Every setting has its old value.</p>}
      {changed.map((one) => (
        <div class="change" key={one.path}><span class="dim">{one.path}</span><span class="minus">{one.was}</span><span class="plus">{one.is}</span></div>
      ))}
      {journal.drift.map((one) => (
        <div key={`drift ${one.path}`}>
          <p><span class="chip warning">! drift</span> <span class="mono">{one.path}</span> was set to {one.set} and is {one.is}: {one.why}.</p>
          {one.bring_back && <p>To bring it back: <Command line={`sudo ${one.bring_back}`} /></p>}
          {one.accept && <p>To accept it as it is: <Command line={`sudo ${one.accept}`} /></p>}
        </div>
      ))}
      {[...journal.files, ...journal.trees].map((path) => <p class="mono dim" key={path}>{path}</p>)}
      {way && (
        <p>
          {!isReadOnly && way.option === null
            ? <button type="button" disabled={action.isBusy} onClick={() => action.start()}>Put {changed.length === 1 ? "it" : "everything"} back</button>
            : `To ${way.aim}:`}{" "}
          <Command line={`sudo ${way.command}`} />
        </p>
      )}
      {action.error && <Failure error={action.error} />}
    </div>
  );
}

function PlanView({ record, isReadOnly, done }: { record: number; isReadOnly: boolean; done: () => void }) {
  const place = usePlace();
  const isPersistent = place.query.get("persist") === "1";
  const [typed, setTyped] = useState("");
  const plan = useLoad(`plan ${record} ${isPersistent}`, (signal) => get<Plan>(`/changes/plan?record=${record}${isPersistent ? "&persist=true" : ""}`, signal));
  const action = useAction(async () => {
    await post("/changes/apply", { record, persist: isPersistent, confirm: typed.trim() });
    done();
  });
  return (
    <Section title={`What record ${record} proved, put in place`} side={<a href={address("changes")}>do nothing</a>}>
      <Shown of={plan}>
        {({ document, words }) => (
          <form class="card" onSubmit={(event) => { event.preventDefault(); if (typed.trim() === document.device) void action.start(); }}>
            <p>This would be written, and can be undone at any time:</p>
            <pre tabIndex={0}>{words.join("\n")}</pre>
            <label class="line">
              <input type="checkbox" checked={isPersistent} onChange={(event) => setQuery({ persist: event.currentTarget.checked ? "1" : null })} />
              Also after the next boot
            </label>
            <p class="dim"><a href={address("records", [record])}>The record</a> says for which load it holds.</p>
            {isReadOnly ? <p class="note">This server only shows.</p> : (
              <div class="row">
                <label class="field">Type {document.device} to apply it
                  <input type="text" autocomplete="off" autocapitalize="off" spellcheck={false} data-confirm value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
                </label>
                <button type="submit" class="first" disabled={typed.trim() !== document.device || action.isBusy}>Apply to {document.device}</button>
              </div>
            )}
            <p><Command line={`sudo iodyno apply ${record}${isPersistent ? " --persist" : ""}`} /></p>
            {action.error && <Failure error={action.error} />}
          </form>
        )}
      </Shown>
    </Section>
  );
}

function Proved() {
  const list = useLoad("tunes", (signal) => get<RecordList>("/records?verb=tune&limit=20", signal));
  return (
    <Section title="What could be applied">
      <Shown of={list}>
        {(document) => document.records.length === 0
          ? <Empty title="No tune has been kept yet."><p>A tune proves what helps, and puts everything back. <a href={address("start", [], { verb: "tune" })}>Start one</a></p></Empty>
          : <ul class="steps">{document.records.map((one) => <li key={one.id}><a href={address("changes", [], { record: one.id })}>record {one.id}</a> {one.summary}</li>)}</ul>}
      </Shown>
    </Section>
  );
}
