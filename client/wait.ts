import { GatewayError } from "./gateway-error.js";
import type { components } from "./openapi.js";

type Status = components["schemas"]["TransactionStatusDTO"];

export interface WaitOptions {
  /**
   * What to wait for: a node shows it as pending for its block; it is in a block (the default); its block is final, so
   * that no fork can drop it.
   */
  readonly until?: "unconfirmed" | "confirmed" | "final";
  /** Ends waiting, also for a transaction that nobody announces: `AbortSignal.timeout(60_000)`. */
  readonly signal?: AbortSignal;
  /** Interval of asking the gateway, in ms; default 1,000. */
  readonly pollMs?: number;
}

/** Requests that waiting needs. */
export interface StatusReader {
  status(hash: string, signal: AbortSignal): Promise<Status>;
  finalizedHeight(signal: AbortSignal): Promise<string>;
}

const POLL_MS = 1_000;
/** A gateway that does not answer for so long is asked again, in ms. */
const ANSWER_MS = 5_000;
/** Of answers that a later request may not get: not announced yet, too many requests. */
const PASSING = [404, 429];

/** Waits for a transaction. A gateway that is unreachable meanwhile costs time only. */
export async function waitFor(reader: StatusReader, hash: string, options: WaitOptions = {}): Promise<Status> {
  const { until = "confirmed", signal, pollMs = POLL_MS } = options;
  for (;;) {
    signal?.throwIfAborted();
    const status = await read(reader, hash, until, signal);
    if (status?.group === "failed") throw new GatewayError(status.code, `Transaction ${hash} failed: ${status.code}`);
    if (status) return status;
    await pause(pollMs, signal);
  }
}

/** @returns the status of a transaction that has failed or has reached the state; undefined to read it again later */
async function read(
  reader: StatusReader,
  hash: string,
  until: NonNullable<WaitOptions["until"]>,
  signal: AbortSignal | undefined,
): Promise<Status | undefined> {
  const late = AbortSignal.timeout(ANSWER_MS);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  try {
    // Before the status: a block that is final at its height stays there.
    const finalized = until === "final" ? await reader.finalizedHeight(either) : undefined;
    const status = await reader.status(hash, either);
    const { group, height, held } = status;
    if (group === "failed") return status;
    if (group === "confirmed") {
      return finalized === undefined || BigInt(finalized) >= BigInt(height ?? 0) ? status : undefined;
    }
    return until === "unconfirmed" && group === "unconfirmed" && !held ? status : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    const { status = 500 } = error instanceof GatewayError ? error : {};
    if (status < 500 && !PASSING.includes(status)) throw error;
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
