import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { type ProofClaim, verifyProof } from "../../../ledger/header/generation-rules.js";
import { type DecoderRequest, type DecoderStart, rowsIn, send } from "./decoder-message.js";
import { type UnverifiedBlocks, type VerifiedRows, type VerifyOptions, verifyBlocks } from "./verify-blocks.js";

const PROGRAM = fileURLToPath(new URL("./decode-worker.js", import.meta.url));
/**
 * Memory limit of a thread, in MiB: more is an error, and must not take the others' memory. The rows of a range
 * live until all are made: with enough room, there are fewer collections.
 */
const THREAD_MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 48 };

/** A block of tens of thousands of transactions, as the first one of a public network is. */
const LARGE_BLOCK_BYTES = 2 * 1024 * 1024;
/** Each takes 3 to 4 ms. */
const PROOFS_AT_A_TIME = 32;

interface Waiting {
  readonly resolve: (rows: VerifiedRows | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Requests in their order, which is that of the responses. */
  readonly waiting: Waiting[];
  /** Why it no longer decodes. */
  failure?: Error;
}

/** Decoding threads: each range goes to the one with the least work. Without threads, the caller's one does it. */
export class DecoderPool {
  readonly #threads: readonly Thread[];
  readonly #options: VerifyOptions;

  constructor(threads: number, options: DecoderStart) {
    this.#options = options;
    const { identifier, generationHashSeed } = options.network;
    const { checkSignatures, config } = options;
    const start: DecoderStart = {
      network: { identifier, generationHashSeed },
      config: { mosaic: config.mosaic, namespace: config.namespace },
      checkSignatures,
    };
    this.#threads = Array.from({ length: threads }, () => startThread(start));
  }

  /** @throws BlockRejectedError when a block is invalid; Error when a thread ended */
  async verify(range: UnverifiedBlocks): Promise<VerifiedRows> {
    // A thread would need a copy of a large one, and more memory than the others leave it.
    const isLarge = range.bytes.some(({ bytes }) => bytes.length >= LARGE_BLOCK_BYTES);
    if (this.#threads.length === 0 || isLarge) return verifyBlocks(range, this.#options);
    return (await this.#send({ blocks: { parent: range.parent, bytes: range.bytes } }))!;
  }

  /**
   * Verifies proofs of generation hashes, split into several messages so that all threads participate.
   * @throws BlockRejectedError when one is invalid; Error when a thread ended
   */
  async verifyProofs(claims: readonly ProofClaim[]): Promise<void> {
    if (this.#threads.length === 0) {
      for (const claim of claims) verifyProof(claim);
      return;
    }
    const portions: (readonly ProofClaim[])[] = [];
    // A claim may compute its parent's hash when it is read.
    const all = claims.map((claim) => ({ ...claim, parentGenerationHash: claim.parentGenerationHash }));
    for (let start = 0; start < all.length; start += PROOFS_AT_A_TIME) {
      portions.push(all.slice(start, start + PROOFS_AT_A_TIME));
    }
    const verifying = portions.map((portion) => this.#send({ claims: portion }));
    const results = await Promise.allSettled(verifying);
    // The lowest block comes first.
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  #send(request: DecoderRequest): Promise<VerifiedRows | undefined> {
    const { worker, waiting, failure } = this.#threads.reduce((shortest, thread) =>
      thread.waiting.length < shortest.waiting.length ? thread : shortest,
    );
    if (failure) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      send(worker, request);
    });
  }

  /** Ends the threads; unfinished work is rejected. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}

function startThread(start: DecoderStart): Thread {
  const worker = new Worker(PROGRAM, { workerData: serialize(start), resourceLimits: THREAD_MEMORY });
  const waiting: Waiting[] = [];
  const thread: Thread = { worker, waiting };
  const failAll = (error: Error): void => {
    thread.failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on("message", (bytes: Uint8Array) => {
    const one = waiting.shift();
    try {
      one?.resolve(rowsIn(deserialize(bytes)));
    } catch (error) {
      one?.reject(error);
    }
  });
  worker.on("error", (error) => failAll(error as Error));
  worker.on("exit", (code) => failAll(new Error(`A decoding thread ended (code ${code})`)));
  return thread;
}
