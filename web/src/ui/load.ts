// Documents of the server, with the states that a page has to show: on their way, there, failed, and old after a failure.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../net/api.ts";
import { live } from "../net/live.ts";

export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
  isLoading: boolean;
  /** When `data` came, ms. */
  asOf: number;
  reload: () => void;
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, String((error as Error)?.message ?? error), "");

/** Loads a document whenever `key` changes; `null` loads nothing. What was there stays until something newer comes. */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, set] = useState<{ key: string | null; data: T | null; error: ApiError | null; asOf: number; isLoading: boolean }>(
    { key, data: null, error: null, asOf: 0, isLoading: key !== null },
  );
  const [turn, setTurn] = useState(0);
  const call = useRef(load);
  call.current = load;
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    set((before) => ({
      key, asOf: before.asOf, error: null, isLoading: true, data: before.key === key ? before.data : null,
    }));
    call.current(abort.signal).then(
      (data) => !abort.signal.aborted && set({ key, data, error: null, asOf: Date.now(), isLoading: false }),
      (error) => !abort.signal.aborted && set((before) => ({ ...before, key, error: asApiError(error), isLoading: false })),
    );
    return () => abort.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isOther = state.key !== key;
  return {
    data: isOther ? null : state.data,
    error: isOther ? null : state.error,
    isLoading: isOther ? key !== null : state.isLoading,
    asOf: state.asOf,
    reload,
  };
}

/** A change that somebody asks for with a button. */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<void>) {
  const [state, set] = useState<{ isBusy: boolean; error: ApiError | null }>({ isBusy: false, error: null });
  const start = async (...args: A) => {
    set({ isBusy: true, error: null });
    try {
      await run(...args);
      set({ isBusy: false, error: null });
    } catch (error) {
      set({ isBusy: false, error: asApiError(error) });
    }
  };
  return { ...state, start };
}

/** Draws again with each frame, at most ten times a second and not while the tab is hidden. */
export function useLive(): typeof live {
  const [, set] = useState(0);
  useEffect(() => live.watch(() => set((before) => before + 1)), []);
  return live;
}

/** Draws again every second, for ages and countdowns. */
export function useSecond(): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || set(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
