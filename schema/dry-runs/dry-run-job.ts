import { deserialize, serialize } from "node:v8";
import type { MessagePort, Worker } from "node:worker_threads";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import type { StateKey } from "../../catapult/state/key.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import type { StateBasis } from "../../ledger/engine/entry-loader.js";
import type { KindedEntry, SparseState } from "../../ledger/engine/sparse-state.js";
import { type CheckedCandidate, type SimulationOptions, simulate } from "./simulator.js";

/** What transactions are tried for: whether one fails after others, whether an account may cosign, or what changes. */
export type DryRunJob =
  | {
      readonly kind: "evaluate";
      readonly network: NetworkIdentity;
      readonly others: readonly Buffer[];
      readonly payload: Buffer;
      /** Whether it is a bonded aggregate, without its cosignatures. */
      readonly isPartial: boolean;
      /** The network's time, in ms since its epoch. */
      readonly now: number;
    }
  | {
      readonly kind: "cosign";
      readonly network: NetworkIdentity;
      readonly aggregate: Buffer;
      readonly publicKey: Buffer;
    }
  | {
      readonly kind: "simulate";
      readonly candidates: readonly CheckedCandidate[];
      readonly options: SimulationOptions;
    };

/** The bytes of a job's transactions, which bound its work. */
export function sizeOf(job: DryRunJob): number {
  if (job.kind === "cosign") return job.aggregate.length;
  if (job.kind === "evaluate") return job.payload.length + job.others.reduce((sum, { length }) => sum + length, 0);
  return job.candidates.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The results of jobs, by their kind. */
export interface DryRunJobResults {
  readonly evaluate: FailureName | undefined;
  readonly cosign: FailureName | undefined;
  readonly simulate: readonly SimulationBody[];
}

/** To the thread: a job begins, continues with entries of the state that it has requested, or is given up. */
export type DryRunRequest = { readonly id: number } & (
  | {
      readonly job: DryRunJob;
      readonly config: NetworkConfig;
      readonly basis: Omit<StateBasis, "finalizedHeight">;
      /** The entries that it has requested in another thread, by request: it requests the same again. */
      readonly known: readonly (readonly KindedEntry[])[];
    }
  | { readonly entries: readonly KindedEntry[] }
  | { readonly isGivenUp: true }
);

/** From a thread that has loaded everything: its folder with its processor time, if there is one. */
export interface ThreadReady {
  readonly folder: string | undefined;
}

/** From the thread: a job needs entries of the state, or has ended. */
export type DryRunReply =
  | { readonly keys: readonly StateKey[] }
  | { readonly result: unknown }
  | { readonly limit: string }
  | { readonly failed: string };

/** Sends a message as bytes: `postMessage` would change the type of buffers. */
export function sendMessage(port: MessagePort | Worker, message: DryRunRequest | DryRunReply): void {
  port.postMessage(serialize(message));
}

/** The message of `sendMessage`. */
export function receiveMessage<Message extends DryRunRequest | DryRunReply>(bytes: Uint8Array): Message {
  return deserialize(bytes) as Message;
}

/** @throws DryRunLimitError if it needs too much of the state, or too much work */
export function perform(state: SparseState, job: DryRunJob): Promise<DryRunJobResults[DryRunJob["kind"]]> {
  if (job.kind === "simulate") return simulate(state, job.candidates, job.options);
  const { network } = job;
  if (job.kind === "cosign") {
    const aggregate = decodeTransaction(job.aggregate, network);
    return state.run((startDryRun) => startDryRun().checkCosignatories(aggregate, [job.publicKey]));
  }
  const { isPartial, now } = job;
  const others = job.others.map((bytes) => decodeTransaction(bytes, network));
  const transaction = decodeTransaction(job.payload, network);
  return state.run((startDryRun) => {
    const dryRun = startDryRun();
    for (const other of others) dryRun.add(other, now);
    return isPartial ? dryRun.checkPartial(transaction, now) : dryRun.add(transaction, now);
  });
}
