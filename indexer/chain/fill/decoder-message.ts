import { serialize } from "node:v8";
import type { MessagePort, Worker } from "node:worker_threads";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import type { ProofClaim } from "../../../ledger/header/generation-rules.js";
import type { UnverifiedBlocks, VerifiedRows, VerifyOptions } from "./verify-blocks.js";

/** What a decoding thread gets at its start: who receives rental fees at a height is no function here. */
export interface DecoderStart extends VerifyOptions {
  readonly config: Pick<NetworkConfig, "mosaic" | "namespace">;
}

/** The work of a decoding thread: blocks to verify, or proofs of generation hashes to verify. */
export type DecoderRequest = { readonly blocks: UnverifiedBlocks } | { readonly claims: readonly ProofClaim[] };

/** The result of a request: the rows, if they were asked for. */
export type DecoderResponse =
  | { readonly rows: VerifiedRows | undefined }
  | { readonly rejected: Pick<BlockRejectedError, "height" | "field" | "problem"> }
  | { readonly failed: string };

/**
 * Sends a message as one piece of memory, which is transferred. What `postMessage` makes of a buffer would be an array of
 * another type, and would bring the whole memory of which the buffer is a view. When it is deserialized, its buffers are
 * views of the memory received.
 */
export function send(port: MessagePort | Worker, message: DecoderRequest | DecoderResponse): void {
  const bytes = serialize(message);
  port.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
}

/** The error by its fields, so that it can be recreated. */
export function errorMessage(error: unknown): DecoderResponse {
  if (!(error instanceof BlockRejectedError)) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { height, field, problem } = error;
  return { rejected: { height, field, problem } };
}

/**
 * The rows; undefined if proofs were verified.
 * @throws BlockRejectedError when a block was rejected; Error when decoding failed otherwise
 */
export function rowsIn(response: DecoderResponse): VerifiedRows | undefined {
  if ("failed" in response) throw new Error(`Decoding failed: ${response.failed}`);
  if ("rejected" in response) {
    const { height, field, problem } = response.rejected;
    throw new BlockRejectedError(height, field, problem);
  }
  return response.rows;
}
