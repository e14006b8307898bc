// The address is the state: pages read it, and change it instead of keeping anything of their own.

import { useEffect, useState } from "preact/hooks";
import { parsePlace, withQuery, type Place } from "../core/url.ts";

const listeners = new Set<() => void>();

function said(): void {
  for (const call of [...listeners]) call();
}

window.addEventListener("popstate", said);

/** Goes to an address of these pages. */
export function go(to: string, how: "push" | "replace" = "push"): void {
  const here = `${window.location.pathname}${window.location.search}`;
  if (to !== here) window.history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  said();
}

/** Changes the query and nothing else. */
export function setQuery(changes: Record<string, unknown>, how: "push" | "replace" = "replace"): void {
  const search = withQuery(new URLSearchParams(window.location.search), changes);
  go(search ? `${window.location.pathname}?${search}` : window.location.pathname, how);
}

export const place = (): Place => parsePlace(window.location.pathname, window.location.search);

/** The place that the address names; draws again when it changes. */
export function usePlace(): Place {
  const [now, set] = useState(place);
  useEffect(() => {
    const call = () => set(place());
    listeners.add(call);
    return () => void listeners.delete(call);
  }, []);
  return now;
}

/** Makes links between pages change the address in place; modified clicks and other targets stay the browser's. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href, window.location.href);
    if (url.origin !== window.location.origin || url.pathname.startsWith("/api/")) return;
    event.preventDefault();
    if (url.hash && url.pathname === window.location.pathname) {
      document.getElementById(url.hash.slice(1))?.scrollIntoView();
      return;
    }
    go(`${url.pathname}${url.search}`);
    window.scrollTo(0, 0);
  });
}
