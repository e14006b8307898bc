// The server's stream of events, opened again after it was lost.

export type EventName = "head" | "frame" | "job" | "record" | "unwatched";

export type FromStream =
  | { kind: "state"; isOpen: boolean; tries: number; sinceMs: number }
  | { kind: "event"; name: EventName; data: string };

const NAMES: readonly EventName[] = ["head", "frame", "job", "record", "unwatched"];
const LONGEST_WAIT_MS = 15_000;

/** Opens the stream and keeps it open; returns what ends it. */
export function openStream(tell: (message: FromStream) => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let sinceMs = Date.now();

  const lost = () => {
    if (tries === 0) sinceMs = Date.now();
    tries += 1;
    tell({ kind: "state", isOpen: false, tries, sinceMs });
  };
  const open = () => {
    source = new EventSource("/api/v1/events");
    source.onopen = () => {
      tries = 0;
      sinceMs = Date.now();
      tell({ kind: "state", isOpen: true, tries, sinceMs });
    };
    for (const name of NAMES) {
      source.addEventListener(name, (event) => tell({ kind: "event", name, data: (event as MessageEvent).data as string }));
    }
    source.onerror = () => {
      lost();
      // A connection that broke is opened again by the browser, which says where it was; one that was refused is not.
      if (source?.readyState === EventSource.CLOSED) {
        timer = setTimeout(open, Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(tries, 5)));
      }
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
