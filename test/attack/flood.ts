import type { Attack, Target } from "./attack.js";
import type { HttpAttempt } from "./hostile.js";

/** What a flood has besides its requests. */
export interface FloodOptions extends Partial<Omit<Attack, "name" | "about" | "run">> {
  /** Default 50. */
  readonly connections?: number;
  /** From which the connections come; default one. */
  readonly addresses?: number;
}

/** Requests over kept connections, whose answers are read. */
export function flood(
  name: string,
  about: string,
  next: (n: number, target: Target) => HttpAttempt,
  { connections = 50, addresses, ...options }: FloodOptions = {},
): Attack {
  const run: Attack["run"] = (target, hostile) => hostile.flood(connections, (n) => next(n, target), addresses);
  return { name, about, ...options, run };
}

/** A request with a body that is JSON, or says so. */
export function withBody(method: "POST" | "PUT", path: string, body: object | string | Buffer): HttpAttempt {
  const sent = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(sent)) };
  return { method, path, headers, body: sent };
}

/** The n-th item of a list that begins again at its end. */
export function nth<Item>(items: readonly Item[], n: number): Item {
  return items[n % items.length] as Item;
}
