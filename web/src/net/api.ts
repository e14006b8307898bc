// The server's API: JSON documents below /api/v1, a cookie for who we are, and a header that no other site can set.

import type { ErrorDocument, LoggedIn, SessionDocument } from "../core/documents.ts";

/** What went wrong, in the server's words: the reason, and what to do. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly whatToDo: string,
  ) {
    super(message);
  }
}

let csrf = "";
let onRefused = () => {};

/** Called when the server no longer knows us: its restart ends all sessions. */
export function whenRefused(call: () => void): void {
  onRefused = call;
}

async function failure(answer: Response): Promise<ApiError> {
  let said: Partial<ErrorDocument> = {};
  try {
    said = await answer.json();
  } catch {
    // Not one of the server's own answers; the status is all there is.
  }
  const message = typeof said.error === "string" ? said.error : `the server answered ${answer.status} ${answer.statusText}`;
  return new ApiError(answer.status, message, typeof said.hint === "string" ? said.hint : "");
}

async function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (method !== "GET") headers.set("X-CSRF-Token", csrf);
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}`, { ...init, method, headers, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new ApiError(0, "the server cannot be reached", "See whether `iodyno serve` still runs, and the SSH forwarding.");
  }
  if (!answer.ok) {
    const error = await failure(answer);
    if (error.status === 401) onRefused();
    throw error;
  }
  return answer;
}

async function json<T>(answer: Response): Promise<T> {
  if (answer.status === 204) return undefined as T;
  const text = await answer.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** Reads a document. */
export const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
  json<T>(await request("GET", path, { signal }));

/** Asks for a change. */
export const post = async <T>(path: string, body: unknown = {}): Promise<T> =>
  json<T>(
    await request("POST", path, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  );

/** Takes something away, or stops it. */
export const remove = async <T>(path: string): Promise<T> => json<T>(await request("DELETE", path));

/** Sends a file as it is; its name goes along for the person who reads the record later. */
export const send = async <T>(path: string, file: File): Promise<T> =>
  json<T>(
    await request("POST", path, {
      body: file,
      headers: { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) },
    }),
  );

/** The token in an address: after `?` or `#`, by this name. */
export function tokenOf(location: { search: string; hash: string }): string | null {
  const after = (text: string) => new URLSearchParams(text.replace(/^[?#]/, "")).get("token");
  return after(location.search) ?? after(location.hash);
}

/** Exchanges the token of the address for a cookie, takes it out of the address, and says who we are. */
export async function openSession(): Promise<SessionDocument> {
  const token = tokenOf(window.location);
  if (token !== null) {
    const query = new URLSearchParams(window.location.search);
    query.delete("token");
    const rest = query.toString();
    const path = window.location.pathname === "/login" ? "/" : window.location.pathname;
    window.history.replaceState(null, "", rest ? `${path}?${rest}` : path);
    csrf = (await post<LoggedIn>("/login", { token })).csrf;
  }
  const session = await get<SessionDocument>("/session");
  csrf = session.csrf;
  return session;
}
