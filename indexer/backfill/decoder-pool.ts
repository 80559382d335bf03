import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { ProofClaim } from "../../ledger/header/generation-rules.js";
import {
  type ChunkMessage,
  type DecodedMessage,
  type Parcel,
  type ProofsMessage,
  packChunk,
  packClaims,
  unpackDecoded,
} from "./chunk-message.js";
import type { Chunk, DecodedChunk, DecodeOptions } from "./decode-chunk.js";
import type { DecodeWorkerData } from "./decode-worker.js";

const PROGRAM = fileURLToPath(new URL("./decode-worker.js", import.meta.url));
/**
 * Memory limit of a thread, in MiB: more is an error, and must not take the others' memory. The objects of a chunk
 * live until the chunk is done: with enough room, there are fewer collections.
 */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 48 };

/** Each takes 3 to 4 ms. */
const PROOFS_AT_A_TIME = 32;

interface Waiting {
  readonly resolve: (chunk: DecodedChunk | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** Why it no longer decodes. */
  failure?: Error;
}

/** Decoding threads: each chunk goes to the one with the least work. */
export class DecoderPool {
  readonly #threads: readonly Thread[];
  readonly #network: NetworkIdentity;
  #lastId = 0;

  constructor(threads: number, { network, harvestFeeSink, ...rest }: DecodeOptions) {
    this.#network = network;
    const workerData: DecodeWorkerData = {
      networkIdentifier: network.identifier,
      generationHashSeed: network.generationHashSeed.toString("hex"),
      harvestFeeSink: harvestFeeSink?.toString("hex"),
      ...rest,
    };
    this.#threads = Array.from({ length: threads }, () => startThread(workerData));
  }

  /** @throws BlockRejectedError when a block is invalid; Error when a thread ended */
  async decode(chunk: Chunk): Promise<DecodedChunk> {
    const decoded = await this.#send((id) => packChunk(id, chunk, this.#network));
    if (!decoded) throw new Error("A decoding thread answered another request");
    return decoded;
  }

  /**
   * Verifies proofs of generation hashes, split into several messages so that all threads participate.
   * @throws BlockRejectedError when one is invalid; Error when a thread ended
   */
  async verifyProofs(claims: readonly ProofClaim[]): Promise<void> {
    const portions: (readonly ProofClaim[])[] = [];
    for (let start = 0; start < claims.length; start += PROOFS_AT_A_TIME) {
      portions.push(claims.slice(start, start + PROOFS_AT_A_TIME));
    }
    const verifying = portions.map((portion) =>
      this.#send((id) => ({ message: packClaims(id, portion), transfer: [] })),
    );
    const results = await Promise.allSettled(verifying);
    // The lowest block comes first.
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  #send(pack: (id: number) => Parcel<ChunkMessage | ProofsMessage>): Promise<DecodedChunk | undefined> {
    const { worker, waiting, failure } = this.#threads.reduce((least, thread) =>
      thread.waiting.size < least.waiting.size ? thread : least,
    );
    if (failure) return Promise.reject(failure);
    const id = ++this.#lastId;
    const { message, transfer } = pack(id);
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage(message, transfer);
    });
  }

  /** Ends the threads; unfinished work is rejected. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}

function startThread(workerData: DecodeWorkerData): Thread {
  const worker = new Worker(PROGRAM, { workerData, resourceLimits: THREAD_MEMORY });
  const waiting = new Map<number, Waiting>();
  const thread: Thread = { worker, waiting };
  const failAll = (error: Error): void => {
    thread.failure ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", (message: DecodedMessage) => {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    try {
      one?.resolve(unpackDecoded(message));
    } catch (error) {
      one?.reject(error);
    }
  });
  worker.on("error", (error) => failAll(error as Error));
  worker.on("exit", (code) => failAll(new Error(`A decoding thread ended (code ${code})`)));
  return thread;
}
