// The machine: the path of a target as a picture, its settings with who set them, what is unusual, the last records.

import { useState } from "preact/hooks";
import { chosen, choices, KNOWN_SETTINGS, setBy, walk } from "../core/path.ts";
import { bytes } from "../core/units.ts";
import { address } from "../core/url.ts";
import { get } from "../net/api.ts";
import type { Figure, IoPath, Layer, RecordList, Setting, Target, TargetList } from "../core/documents.ts";
import { useLoad } from "../ui/load.ts";
import { Command, Empty, Section, Shown } from "../ui/parts.tsx";
import { FigureView } from "../ui/figure.tsx";
import { go, usePlace } from "../ui/router.ts";
import { RecordRows } from "./records.tsx";

export const targets = async (signal?: AbortSignal): Promise<Target[]> => {
  return (await get<TargetList>("/targets", signal)).targets;
};

/** What the page shows where nobody chose: what the user named when starting, else the root, else the first. */
export function usual(all: Target[]): Target | undefined {
  return all.find((one) => one.kind === "directory") ?? all.find((one) => one.path === "/") ?? all[0];
}

export function Machine() {
  const place = usePlace();
  const all = useLoad("targets", targets);
  return (
    <Shown of={all} lines={6}>
      {(list) => {
        const target = list.find((one) => one.key === place.rest[0]) ?? usual(list);
        if (!target) {
          return <Empty title="There is nothing here to look at."><p>No mounted file system and no disk was found. <Command line="iodyno inspect /path" /> says why a path has none.</p></Empty>;
        }
        return <OneTarget key={target.key} target={target} all={list} />;
      }}
    </Shown>
  );
}

function OneTarget({ target, all }: { target: Target; all: Target[] }) {
  const query = `?target=${encodeURIComponent(target.key)}`;
  const path = useLoad(`machine${query}`, (signal) => get<IoPath>(`/machine${query}`, signal));
  const diagram = useLoad(`diagram${query}`, (signal) => get<Figure>(`/machine/diagram${query}`, signal));
  const disk = path.data && walk(path.data.root).find((layer) => layer.kind === "disk" || layer.kind === "stacked");
  const records = useLoad(disk ? `records of ${disk.name}` : null, (signal) =>
    get<RecordList>(`/records?device=${encodeURIComponent(disk!.name)}&limit=5`, signal));
  return (
    <>
      <div class="lead">
        <div class="head">
          <h1>{path.data ? headline(path.data) : target.path}</h1>
          <label class="line">
            <span class="dim">Target</span>
            <select value={target.key} onChange={(event) => go(address("machine", [event.currentTarget.value]))}>
              {all.map((one) => <option key={one.key} value={one.key}>{one.path} ({one.kind})</option>)}
            </select>
          </label>
        </div>
        {path.data && <p>{nextStep(target)}</p>}
      </div>
      <Shown of={path} lines={10}>
        {(document) => (
          <>
            {diagram.data && <FigureView figure={diagram.data} />}
            <Section title="Settings by layer"><Tree layer={document.root} /></Section>
            {document.machine && <MachineFacts layer={document.machine} />}
            {document.notes.length ? <Section title="What could not be read"><ul>{document.notes.map((note) => <li>{note}</li>)}</ul></Section> : null}
          </>
        )}
      </Shown>
      {disk && (
        <Section title={`Last records of ${disk.name}`} side={<a href={address("records", [], { device: disk.name })}>all of them</a>}>
          <Shown of={records}>
            {(list) => list.records.length
              ? <div class="card"><RecordRows records={list.records} /></div>
              : <Empty title={`No record of ${disk.name} yet.`}><p>A run of ten seconds makes one: <a href={address("start", [], { target: target.key })}>start it here</a>, or <Command line={`iodyno run ${target.path}`} /></p></Empty>}
          </Shown>
        </Section>
      )}
    </>
  );
}

const settingsOf = (document: IoPath): [Layer, Setting][] =>
  [...walk(document.root), ...(document.machine ? [document.machine] : [])].flatMap((layer) => layer.settings.map((one) => [layer, one] as [Layer, Setting]));

function headline(document: IoPath): string {
  const changed = settingsOf(document).filter(([, one]) => {
    const by = setBy(one);
    return by !== null && by.word !== "kernel";
  });
  const contested = settingsOf(document).filter(([, one]) => setBy(one)?.isContested);
  if (contested.length) return `${contested[0][1].name} of ${contested[0][0].name} is set by two who want different values.`;
  if (changed.length) return `${changed.length} ${changed.length === 1 ? "setting differs" : "settings differ"} from what the kernel gives on ${document.target}.`;
  return `Every setting of ${document.target} is what the kernel gives.`;
}

function nextStep(target: Target) {
  return (
    <>
      Whether that is fast enough, a check tells in a minute:{" "}
      <a href={address("start", [], { target: target.key, verb: "check" })}>check {target.path}</a>, or <Command line={`iodyno check ${target.path}`} />
    </>
  );
}

const FACTS: Record<string, string[]> = {
  "file-system": ["fstype", "source", "options", "free_bytes", "total_bytes"],
  disk: ["model", "transport", "size_bytes", "driver", "firmware", "serial", "rotational", "pcie_link", "numa_node"],
  loop: ["backing_file", "dio", "size_bytes"],
  stacked: ["dm_kind", "raid_level", "chunk_bytes", "size_bytes", "members"],
  partition: ["start_bytes", "size_bytes", "aligned"],
};

const factWords = (name: string, text: string): string =>
  name.endsWith("_bytes") && text !== "0" && Number.isFinite(Number(text)) ? bytes(Number(text)) : text;
const factName = (name: string): string => name.replace(/_bytes$/, "").replace(/_/g, " ");

function Tree({ layer }: { layer: Layer }) {
  return <div class="card"><ul class="tree" aria-label="I/O path"><Branch layer={layer} isRoot /></ul></div>;
}

/** Equal members of an array are drawn once: their settings and shape, not their names. */
const likeness = (layer: Layer): string =>
  JSON.stringify([layer.kind, layer.title, layer.settings.map((one) => [one.name, chosen(one)]), layer.below.map(likeness)]);

function Branch({ layer, isRoot = false, also = [] }: { layer: Layer; isRoot?: boolean; also?: string[] }) {
  const [isAll, setAll] = useState(false);
  const known = KNOWN_SETTINGS.flatMap((name) => layer.settings.filter((one) => one.name === name));
  const shown = isAll ? layer.settings : known.length ? known : layer.settings.slice(0, 6);
  const facts = (FACTS[layer.kind] ?? []).filter((name) => layer.facts[name]);
  const groups = new Map<string, Layer[]>();
  for (const below of layer.below) {
    const key = layer.below.length > 4 ? likeness(below) : below.name;
    groups.set(key, [...(groups.get(key) ?? []), below]);
  }
  return (
    <li>
      <div class="layer">
        <p>
          <span class="name mono">{layer.name}</span>{" "}
          <span class="dim">{isRoot ? layer.title : layer.title || layer.kind}</span>
          {also.length > 0 && <span class="chip">and {also.length} more like it: {also.join(", ")}</span>}
        </p>
        {facts.length > 0 && (
          <p class="dim">{facts.map((name) => `${factName(name)} ${factWords(name, layer.facts[name])}`).join(" · ")}</p>
        )}
        {shown.length > 0 && <div class="settings">{shown.map((one) => <OneSetting key={one.name} setting={one} />)}</div>}
        {layer.interrupts.length > 0 && <Interrupts layer={layer} />}
        {layer.settings.length > shown.length || isAll ? (
          <p><button type="button" class="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "only the ones people change" : `all ${layer.settings.length} settings`}
          </button></p>
        ) : null}
      </div>
      {groups.size > 0 && (
        <ul>
          {[...groups.values()].map(([first, ...others]) => <Branch key={first.name} layer={first} also={others.map((one) => one.name)} />)}
        </ul>
      )}
    </li>
  );
}

function OneSetting({ setting }: { setting: Setting }) {
  const value = chosen(setting);
  const by = setBy(setting);
  const others = choices(setting);
  const isUnusual = by !== null && by.word !== "kernel";
  return (
    <div class="setting">
      <span class="mono dim">{setting.name}</span>
      <span class="value">
        <span class={`mono${isUnusual ? " unusual" : ""}`}>{value ?? "cannot be read"}</span>{" "}
        {others.length > 0 && <span class="dim">of {others.join(", ")} </span>}
        {by && <span class={`chip${isUnusual ? " warning" : ""}`}>{isUnusual ? "! " : ""}{by.word}</span>}
        {by?.isContested && <span class="chip warning">! contested</span>}
        {isUnusual && by.place && <span class="dim"> {by.place}</span>}
        {isUnusual && setting.default && <span class="dim"> kernel: {setting.default.value}</span>}
      </span>
    </div>
  );
}

function Interrupts({ layer }: { layer: Layer }) {
  const cpus = new Set(layer.interrupts.map((one) => one.effective_cpus ?? one.allowed_cpus ?? "?"));
  return (
    <p class="dim">
      {layer.interrupts.length} {layer.interrupts.length === 1 ? "interrupt" : "interrupts"}, delivered to CPU {[...cpus].join(", ")}
      {layer.queues.length ? `; ${layer.queues.length} hardware ${layer.queues.length === 1 ? "queue" : "queues"}${layer.queues[0].nr_tags ? ` of ${layer.queues[0].nr_tags}` : ""}` : ""}
    </p>
  );
}

const MACHINE_FACTS: [string, string][] = [
  ["kernel", "Kernel"], ["distribution", "Distribution"], ["cpu_model", "CPU"], ["cpus_online", "CPUs online"], ["numa_nodes", "NUMA nodes"],
  ["memory_bytes", "Memory"], ["hypervisor", "Hypervisor"], ["container", "Container"], ["clocksource", "Clock"], ["command_line", "Command line"],
];

function MachineFacts({ layer }: { layer: Layer }) {
  return (
    <Section title="The machine around it">
      <div class="card">
        <dl class="facts">
          {MACHINE_FACTS.filter(([name]) => layer.facts[name]).map(([name, words]) => <><dt>{words}</dt><dd>{factWords(name, layer.facts[name])}</dd></>)}
        </dl>
        {layer.settings.length > 0 && (
          <details>
            <summary>{layer.settings.length} settings of memory, files and control groups</summary>
            <div class="settings">{layer.settings.map((one) => <OneSetting key={one.path || one.name} setting={one} />)}</div>
          </details>
        )}
      </div>
    </Section>
  );
}
