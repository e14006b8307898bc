// Where the pages begin: the token becomes a session, the stream is joined, and the address chooses a page.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionDocument } from "./core/documents.ts";
import { openSession, whenRefused, ApiError } from "./net/api.ts";
import { joinStream, live } from "./net/live.ts";
import { isAtWork } from "./core/job.ts";
import { address } from "./core/url.ts";
import { followLinks, go, usePlace } from "./ui/router.ts";
import { applyTheme, Shell } from "./ui/shell.tsx";
import { Command } from "./ui/parts.tsx";
import { Catalogue } from "./pages/catalogue.tsx";
import { Changes } from "./pages/changes.tsx";
import { Compare } from "./pages/compare.tsx";
import { HistoryPage } from "./pages/history.tsx";
import { LivePage } from "./pages/live.tsx";
import { Machine } from "./pages/machine.tsx";
import { RecordPage } from "./pages/record.tsx";
import { Records } from "./pages/records.tsx";
import { RunPage } from "./pages/run.tsx";
import { jobs, Start } from "./pages/start.tsx";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "figures.css";

function Page({ session }: { session: SessionDocument }) {
  const { page, rest } = usePlace();
  const isReadOnly = session.read_only === true;
  useEffect(() => {
    document.title = `${[rest.join(" "), page].filter(Boolean).join(" ")} · iodyno ${session.hostname ?? ""}`.trim();
  });
  switch (page) {
    case "machine":
      return <Machine />;
    case "live":
      return <LivePage />;
    case "runs":
      return rest[0] ? <RunPage key={rest[0]} id={rest[0]} isReadOnly={isReadOnly} /> : <Start />;
    case "start":
      return <Start />;
    case "records":
      return rest[0] ? <RecordPage key={rest[0]} id={rest[0]} isReadOnly={isReadOnly} /> : <Records isReadOnly={isReadOnly} />;
    case "compare":
      return <Compare />;
    case "history":
      return <HistoryPage />;
    case "catalogue":
      return <Catalogue />;
    case "changes":
      return <Changes isReadOnly={isReadOnly} />;
    case "unknown":
      return <div class="empty"><p class="claim">There is no such page.</p><p><a href={address("machine")}>The machine</a>, <a href={address("live")}>live</a>, <a href={address("records")}>records</a>, <a href={address("catalogue")}>catalogue</a></p></div>;
  }
}

/** Without a session there is nothing to show but how to get one. */
function Refused({ error }: { error: ApiError }) {
  const isOld = error.status === 401 || error.status === 403;
  return (
    <main class="alone">
      <h1>{isOld ? "This browser is not logged in." : `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`}</h1>
      <p>{isOld ? "Open the address that iodyno serve printed when it started. Its token works once; the server prints a new one when it is started again." : error.whatToDo}</p>
      {isOld && error.whatToDo && <p class="dim">{error.whatToDo}</p>}
      <p><Command line="iodyno serve" /></p>
      <p class="dim">Over SSH: <Command line="ssh -L 8080:127.0.0.1:8080 HOST" /> with the port that it printed.</p>
      <p><button type="button" onClick={() => window.location.reload()}>Try again</button></p>
    </main>
  );
}

/** `/` goes to the load that is at work, else to the machine. */
async function first(): Promise<void> {
  if (window.location.pathname !== "/") return;
  const running = await jobs().then((all) => all.find(isAtWork), () => undefined);
  go(running ? address("runs", [running.id]) : address("machine"), "replace");
}

function App() {
  const [session, setSession] = useState<SessionDocument | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    whenRefused(() => setError((before) => before ?? new ApiError(401, "not logged in", "")));
    openSession().then(
      async (opened) => {
        await first();
        joinStream();
        setSession(opened);
      },
      (failed) => setError(failed instanceof ApiError ? failed : new ApiError(0, String(failed), "")),
    );
  }, []);
  if (error && (!session || error.status === 401)) return <Refused error={error} />;
  if (!session) return <main class="alone" aria-busy="true"><p class="dim">Opening …</p></main>;
  return <Shell session={session}><Page session={session} /></Shell>;
}

applyTheme();
const root = document.getElementById("app")!;
followLinks(document.body);
render(<App />, root);
document.addEventListener("visibilitychange", () => document.hidden || live.redraw());
