// One stream of events for all tabs of a browser: six connections to a server are all that HTTP/1.1 browsers open, and a
// stream a tab would use them up, so that not even "stop" would get through.
//
// A tab that is seen says so every few seconds; where no tab is seen, the stream is closed.

import { openStream, type FromStream } from "./stream.ts";

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

/** A tab that has been silent for so long is closed or hidden. */
const SILENT_MS = 15_000;

const seen = new Map<MessagePort, number>();
let close: (() => void) | null = null;
let last: FromStream | null = null;

function tell(message: FromStream): void {
  if (message.kind === "state") last = message;
  for (const port of seen.keys()) port.postMessage(message);
}

function look(): void {
  const now = Date.now();
  for (const [port, at] of seen) if (now - at > SILENT_MS) seen.delete(port);
  if (seen.size > 0 && !close) close = openStream(tell);
  if (seen.size === 0 && close) {
    close();
    close = null;
    last = null;
  }
}

(self as unknown as SharedScope).onconnect = (event) => {
  const port = event.ports[0];
  port.onmessage = ({ data }) => {
    if (data === "seen") {
      const isNew = !seen.has(port);
      seen.set(port, Date.now());
      if (isNew && last) port.postMessage(last);
    } else {
      seen.delete(port);
    }
    look();
  };
  port.start();
};
setInterval(look, 5_000);
