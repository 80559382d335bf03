import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { dataJson, dataLines, dataPath } from "./test-data.js";

/** A block as a node sent it. */
export interface RecordedBlock {
  readonly height: number;
  readonly block: Buffer;
  /** The answer to the block statement request. */
  readonly statement: Buffer;
}

/** The recorded network: text forms as in the file. */
export interface RecordedNetwork {
  readonly networkByte: number;
  readonly epochAdjustment: number;
  readonly generationHashSeed: string;
  readonly currencyMosaicId: string;
  readonly harvestingMosaicId: string;
  readonly accounts: readonly { readonly name: string; readonly publicKey: string; readonly address: string }[];
}

/** The number of each, by type names of `symbol-sdk`. */
export interface RecordedCounts {
  readonly blocks: number;
  readonly topLevel: number;
  readonly embedded: number;
  readonly transactionStatements: number;
  readonly addressResolutionStatements: number;
  readonly mosaicResolutionStatements: number;
  readonly byTypeTop: Readonly<Record<string, number>>;
  readonly byTypeEmbedded: Readonly<Record<string, number>>;
  readonly receipts: Readonly<Record<string, number>>;
}

/** A message of the node's broker. */
export interface RecordedMessage {
  readonly ms: number;
  readonly frames: readonly Buffer[];
}

/** A vector as published with the binary schemas. */
export interface Vector {
  readonly schema_name: string;
  readonly test_name: string;
  readonly payload: string;
  readonly descriptor: unknown;
}

function hexBlocks(name: string): RecordedBlock[] {
  return dataLines<{ height: number; block: string; statement: string }>(name).map((line) => ({
    height: line.height,
    block: Buffer.from(line.block, "hex"),
    statement: Buffer.from(line.statement, "hex"),
  }));
}

/** A chain recorded from a real node, with every type of transaction. Every call reads the files again. */
export class RecordedChain {
  readonly networkFile = dataJson<RecordedNetwork>("network.json");
  readonly network: NetworkIdentity = {
    identifier: this.networkFile.networkByte,
    generationHashSeed: Buffer.from(this.networkFile.generationHashSeed, "hex"),
  };

  /** Path of a file in the folder of the chain. */
  path(name: string): string {
    return dataPath(name);
  }

  blocks(): RecordedBlock[] {
    return hexBlocks("blocks.jsonl.gz");
  }

  counts(): RecordedCounts {
    return dataJson("counts.json");
  }

  /** Answers to the small requests, upper-case hex by name. */
  packets(): Record<string, string> {
    const packets = dataJson<Record<string, unknown>>("packets.json");
    return Object.fromEntries(
      Object.entries(packets).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  }

  /** The roots under the state hash of the last block. */
  subCacheMerkleRoots(): Buffer[] {
    const { payload } = dataJson<{ subCacheMerkleRoots: { payload: string } }>("packets.json").subCacheMerkleRoots;
    const bytes = Buffer.from(payload, "hex");
    return Array.from({ length: bytes.length / 32 }, (_, index) => bytes.subarray(32 * index, 32 * index + 32));
  }

  messages(): RecordedMessage[] {
    return dataLines<{ ms: number; frames: string[] }>("zmq.jsonl.gz").map(({ ms, frames }) => ({
      ms,
      frames: frames.map((frame) => Buffer.from(frame, "hex")),
    }));
  }

  finalizationProofs(): { epoch: number; proof: Buffer }[] {
    return dataLines<{ epoch: number; proof: string }>("finalization-proofs.jsonl.gz").map(({ epoch, proof }) => ({
      epoch,
      proof: Buffer.from(proof, "hex"),
    }));
  }

  /** Every line of a gzipped file of JSON lines in the folder of the chain, such as `fork/frames.jsonl.gz`. */
  lines<T>(name: string): T[] {
    return dataLines<T>(name);
  }

  /** A JSON file in the folder of the chain. */
  json<T>(name: string): T {
    return dataJson<T>(name);
  }
}

/** The answers of catapult-rest, as in the file: one line per request. */
export interface ReferenceAnswer {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly request?: unknown;
  readonly status: number;
  readonly body?: unknown;
  readonly pagination?: { readonly pageNumber: number; readonly pageSize: number };
  readonly entries?: number;
  readonly order?: "asc" | "desc" | "same";
}

/** Every answer that was recorded from catapult-rest 2.5.0. */
export function referenceAnswers(): ReferenceAnswer[] {
  return dataJson("reference-answers.json.gz");
}
