import type { ServerResponse } from "node:http";

/** Names and values in turn, as Node writes them without any further table. */
type HeaderList = string[];

const PENDING = Symbol("headers that are not set yet");

/** A response whose headers are collected in a list: that costs a tenth of setting each of them. */
interface Collecting {
  [PENDING]?: HeaderList | undefined;
}

/**
 * Collects the headers of a response, of which none is set yet, until {@link writeHead}; afterwards `setHeader` must not
 * be used.
 * @param first names and values in turn
 */
export function collectHeaders(response: ServerResponse, first: readonly string[]): void {
  (response as Collecting)[PENDING] = [...first];
}

/** The headers of a body of a number of bytes. */
export function bodyHeaders(
  contentType: string,
  size: number,
  encoding: string | undefined,
): Readonly<Record<string, string>> {
  return {
    "Content-Type": contentType,
    Vary: "Accept-Encoding",
    "Content-Length": String(size),
    ...(encoding !== undefined && { "Content-Encoding": encoding }),
  };
}

/** Adds headers that the response does not have yet, names and values in turn. */
export function addHeaders(response: ServerResponse, headers: readonly string[]): void {
  const pending = (response as Collecting)[PENDING];
  if (pending) return void pending.push(...headers);
  for (let place = 0; place < headers.length; place += 2) {
    addHeader(response, headers[place] as string, headers[place + 1] as string);
  }
}

/** Adds a header that the response does not have yet. */
export function addHeader(response: ServerResponse, name: string, value: string): void {
  const pending = (response as Collecting)[PENDING];
  if (pending) pending.push(name, value);
  else response.setHeader(name, value);
}

/** Removes headers that may have been added. */
export function removeHeaders(response: ServerResponse, names: readonly string[]): void {
  const pending = (response as Collecting)[PENDING];
  if (!pending) {
    for (const name of names) response.removeHeader(name);
    return;
  }
  for (let place = pending.length - 2; place >= 0; place -= 2) {
    if (names.includes(pending[place] as string)) pending.splice(place, 2);
  }
}

/** Writes the status line and all headers; the body, or the end, follows. */
export function writeHead(response: ServerResponse, status: number): void {
  const pending = (response as Collecting)[PENDING];
  if (pending) response.writeHead(status, pending);
  else response.writeHead(status);
}
