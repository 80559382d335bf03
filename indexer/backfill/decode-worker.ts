import { parentPort, workerData } from "node:worker_threads";
import { verifyProof } from "../../ledger/header/generation-rules.js";
import { collectGarbage } from "../step/collect-garbage.js";
import {
  type ChunkMessage,
  type DecodedMessage,
  type ProofsMessage,
  packDecoded,
  packError,
  unpackChunk,
  unpackClaims,
} from "./chunk-message.js";
import { type DecodeOptions, decodeChunk, isLarge } from "./decode-chunk.js";

/** A thread that decodes chunks, one after the other. It receives the options at its start. */

/** Options as another thread gets them: bytes as hex digits. */
export interface DecodeWorkerData extends Pick<DecodeOptions, "checkSignatures" | "writesRaw" | "gathersKeys"> {
  readonly networkIdentifier: number;
  readonly generationHashSeed: string;
  readonly harvestFeeSink: string | undefined;
}

const { networkIdentifier, generationHashSeed, harvestFeeSink, ...rest } = workerData as DecodeWorkerData;
const options: DecodeOptions = {
  ...rest,
  network: { identifier: networkIdentifier, generationHashSeed: Buffer.from(generationHashSeed, "hex") },
  ...(harvestFeeSink !== undefined && { harvestFeeSink: Buffer.from(harvestFeeSink, "hex") }),
};

parentPort?.on("message", (sent: ChunkMessage | ProofsMessage) => {
  try {
    if ("claims" in sent) {
      for (const claim of unpackClaims(sent)) verifyProof(claim);
      parentPort?.postMessage({ id: sent.id, proved: true } satisfies DecodedMessage);
      return;
    }
    const { chunk, network } = unpackChunk(sent, options.network);
    const { message, transfer } = packDecoded(sent.id, decodeChunk(chunk, { ...options, network }));
    parentPort?.postMessage(message, transfer);
    if (isLarge(chunk)) collectGarbage();
  } catch (error) {
    parentPort?.postMessage(packError(sent.id, error));
  }
});
