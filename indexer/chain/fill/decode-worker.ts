import { deserialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { verifyProof } from "../../../ledger/header/generation-rules.js";
import {
  type DecoderRequest,
  type DecoderResponse,
  errorMessage,
  receive,
  send,
  withSinks,
} from "./decoder-message.js";
import { type VerifyOptions, verifyBlocks } from "./verify-blocks.js";

/** A thread that answers requests in their order. It receives the options at its start. */

const options: VerifyOptions = deserialize(workerData);

function answer(request: DecoderRequest): DecoderResponse {
  if ("claims" in request) {
    for (const claim of request.claims) verifyProof(claim);
    return { proved: true };
  }
  return { rows: verifyBlocks(request.blocks, { ...options, network: withSinks(options.network, request) }) };
}

parentPort?.on("message", (bytes: Uint8Array) => {
  const request = receive<DecoderRequest>(bytes);
  try {
    send(parentPort!, answer(request));
  } catch (error) {
    send(parentPort!, errorMessage(error));
  }
});
