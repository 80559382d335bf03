import { deserialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { verifyProof } from "../../../ledger/header/generation-rules.js";
import { withSinks } from "../execution/options.js";
import { type DecoderRequest, type DecoderResponse, type DecoderStart, errorMessage, send } from "./decoder-message.js";
import { verifyBlocks } from "./verify-blocks.js";

/** A thread that answers requests in their order. It receives the options at its start. */

const { network, config, checkSignatures }: DecoderStart = deserialize(workerData);
const options = { network: withSinks(network, config), checkSignatures };

function answer(request: DecoderRequest): DecoderResponse {
  if ("blocks" in request) return { rows: verifyBlocks(request.blocks, options) };
  for (const claim of request.claims) verifyProof(claim);
  return { rows: undefined };
}

parentPort?.on("message", (bytes: Uint8Array) => {
  const request: DecoderRequest = deserialize(bytes);
  try {
    send(parentPort!, answer(request));
  } catch (error) {
    send(parentPort!, errorMessage(error));
  }
});
