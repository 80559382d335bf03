import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe } from "@jest/globals";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { describeIfShared, sharedJson } from "./shared-folder.js";

/** Recordings from real nodes: the README describes each file. */
const FOLDER = new URL("../../../test/data/", import.meta.url);

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

function path(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

function json<T>(name: string): T {
  return JSON.parse(readFileSync(path(name), "utf8")) as T;
}

function jsonLines<T>(name: string): T[] {
  const text = gunzipSync(readFileSync(path(name))).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

function hexBlocks(name: string): RecordedBlock[] {
  return jsonLines<{ height: number; block: string; statement: string }>(name).map((line) => ({
    height: line.height,
    block: Buffer.from(line.block, "hex"),
    statement: Buffer.from(line.statement, "hex"),
  }));
}

/** A chain recorded from a real node, with every type of transaction. Every call reads the files again. */
export class RecordedChain {
  readonly networkFile = json<RecordedNetwork>("network.json");
  readonly network: NetworkIdentity = {
    identifier: this.networkFile.networkByte,
    generationHashSeed: Buffer.from(this.networkFile.generationHashSeed, "hex"),
  };

  /** Path of a file in the folder of the chain. */
  path(name: string): string {
    return path(name);
  }

  blocks(): RecordedBlock[] {
    return hexBlocks("blocks.jsonl.gz");
  }

  counts(): RecordedCounts {
    return json("counts.json");
  }

  /** Answers to the small requests, upper-case hex by name. */
  packets(): Record<string, string> {
    const packets = json<Record<string, unknown>>("packets.json");
    return Object.fromEntries(
      Object.entries(packets).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  }

  /** The roots under the state hash of the last block. */
  subCacheMerkleRoots(): Buffer[] {
    const { payload } = json<{ subCacheMerkleRoots: { payload: string } }>("packets.json").subCacheMerkleRoots;
    const bytes = Buffer.from(payload, "hex");
    return Array.from({ length: bytes.length / 32 }, (_, index) => bytes.subarray(32 * index, 32 * index + 32));
  }

  messages(): RecordedMessage[] {
    return jsonLines<{ ms: number; frames: string[] }>("zmq.jsonl.gz").map(({ ms, frames }) => ({
      ms,
      frames: frames.map((frame) => Buffer.from(frame, "hex")),
    }));
  }

  finalizationProofs(): { epoch: number; proof: Buffer }[] {
    return jsonLines<{ epoch: number; proof: string }>("finalization-proofs.jsonl.gz").map(({ epoch, proof }) => ({
      epoch,
      proof: Buffer.from(proof, "hex"),
    }));
  }

  /** Every line of a gzipped file of JSON lines in the folder of the chain, such as `fork/frames.jsonl.gz`. */
  lines<T>(name: string): T[] {
    return jsonLines<T>(name);
  }

  /** A JSON file in the folder of the chain. */
  json<T>(name: string): T {
    return json<T>(name);
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

/** Every answer that was recorded from catapult-rest 2.5.0; throws if `../shared/reference` is absent. */
export function referenceAnswers(): ReferenceAnswer[] {
  return sharedJson("reference/catapult-rest.json");
}

/** Tests on the recorded chain. */
export function describeRecorded(name: string, body: (chain: RecordedChain) => void): void {
  describe(name, () => body(new RecordedChain()));
}

/** Tests that need published vectors: `transactions`, `blocks`, `receipts` or `other`; skipped if they are absent. */
export function describeIfVectors(name: string, file: string, body: (vectors: Vector[]) => void): void {
  describeIfShared(name, `vectors/${file}.json`, () => body(sharedJson(`vectors/${file}.json`)));
}
