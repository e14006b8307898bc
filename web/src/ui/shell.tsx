// What is around every page: names of the pages, the state of the stream, the sheet of keys.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { spanMs } from "../core/units.ts";
import { address, type Page } from "../core/url.ts";
import type { SessionDocument } from "../core/documents.ts";
import { post } from "../net/api.ts";
import { areLettersOn, KEYS, setLetters, useKeys } from "./keys.ts";
import { useLive, useSecond } from "./load.ts";
import { go, usePlace } from "./router.ts";

const PAGES: { page: Page; title: string; also?: Page[] }[] = [
  { page: "machine", title: "Machine" },
  { page: "live", title: "Live" },
  { page: "start", title: "Run", also: ["runs"] },
  { page: "records", title: "Records", also: ["compare"] },
  { page: "history", title: "History" },
  { page: "changes", title: "Changes" },
  { page: "catalogue", title: "Catalogue" },
];

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const THEME = "iodyno.theme";

export function applyTheme(theme = (localStorage.getItem(THEME) as Theme | null) ?? "auto"): Theme {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event("theme"));
  return theme;
}

function ThemeSwitch() {
  const [theme, set] = useState<Theme>(() => applyTheme());
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  const turn = () => {
    localStorage.setItem(THEME, next);
    set(applyTheme(next));
  };
  return <button type="button" class="quiet" onClick={turn} aria-label={`Colours: ${theme}. Change to ${next}`}>{theme}</button>;
}

function StreamState() {
  const { state, frame } = useLive();
  const now = useSecond();
  const silentMs = frame ? now - frame.unixMs : 0;
  if (!state.isOpen) {
    const words = state.tries === 0 ? "connecting" : `lost ${spanMs(now - state.sinceMs)} ago, try ${state.tries}`;
    return <span class="stream lost"><span aria-hidden="true">✗</span> {words}</span>;
  }
  if (frame && silentMs > 5_000) return <span class="stream lost"><span aria-hidden="true">!</span> no sample for {spanMs(silentMs)}</span>;
  return <span class="stream"><span aria-hidden="true">●</span> live</span>;
}

function Sheet({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, set] = useState(areLettersOn());
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-label="Keys">
      <div class="head"><h2>Keys</h2><button type="button" onClick={() => dialog.current?.close()}>Close</button></div>
      <table>
        <tbody>
          {KEYS.map((key) => <tr key={key.keys}><th scope="row"><kbd>{key.keys}</kbd></th><td>{key.words}</td><td class="dim">{key.where}</td></tr>)}
        </tbody>
      </table>
      <label class="line">
        <input type="checkbox" checked={isOn} onChange={(event) => { setLetters(event.currentTarget.checked); set(event.currentTarget.checked); }} />
        Single letters do something
      </label>
      <p><button type="button" onClick={leave}>Log this browser out</button> <span class="dim">The terminal then shows a new address.</span></p>
      <p class="dim"><a href="/licences.txt" target="_blank" rel="noreferrer">Licences of what these pages hold</a></p>
    </dialog>
  );
}

async function leave(): Promise<void> {
  await post("/logout");
  window.location.reload();
}

export function Shell({ session, children }: { session: SessionDocument; children: ComponentChildren }) {
  const place = usePlace();
  const [isSheet, setSheet] = useState(false);
  useKeys({
    "?": () => setSheet(true),
    "g m": () => go(address("machine")),
    "g l": () => go(address("live")),
    "g r": () => go(address("records")),
    "g c": () => go(address("catalogue")),
    "g h": () => go(address("history")),
    "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
  });
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the content</a>
      <header>
        <a class="brand" href={address("machine")}>iodyno</a>
        <span class="host" title={session.version ? `iodyno ${session.version}` : undefined}>{session.hostname}</span>
        <nav aria-label="Pages">
          {PAGES.filter((one) => !(session.read_only && one.page === "start")).map(({ page, title, also }) => {
            const isHere = place.page === page || also?.includes(place.page);
            return <a key={page} href={address(page)} aria-current={isHere ? "page" : undefined}>{title}</a>;
          })}
        </nav>
        <div class="tools">
          {session.read_only && <span class="chip">read only</span>}
          <StreamState />
          <ThemeSwitch />
          <button type="button" class="quiet" onClick={() => setSheet(true)} aria-label="Keys">?</button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>{children}</main>
      {isSheet && <Sheet close={() => setSheet(false)} />}
    </>
  );
}
