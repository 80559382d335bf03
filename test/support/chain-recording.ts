import { existsSync } from "node:fs";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { dataFile, dataLines, dataPath } from "./test-data.js";

interface Line {
  readonly height: number;
  readonly block: string;
  /** Recorded by some only. */
  readonly statement?: string;
}

/** A block with its bytes, as a node sends it. */
export interface RecordingBlock {
  readonly bytes: Buffer;
  /** Empty if it was not recorded. */
  readonly statement: Buffer;
  readonly decoded: Block;
}

/** A chain that a real node recorded, with its network, in a folder of `test/data` such as `main-rules`. */
export class ChainRecording {
  readonly #folder: string;
  readonly config: NetworkConfig;
  readonly network: NetworkIdentity;
  /** From height 1 on. */
  readonly blocks: readonly RecordingBlock[];

  constructor(folder: string) {
    this.#folder = folder;
    const read = (name: string) => this.#read(`resources/${name}.properties`)?.toString("utf8");
    this.config = parseNetworkConfig(
      read("config-network") ?? "",
      read("config-inflation") ?? "",
      read("config-finalization"),
    );
    this.network = {
      identifier: this.config.networkIdentifier,
      generationHashSeed: this.config.generationHashSeed,
    };
    this.blocks = this.#blocks("blocks");
  }

  /** Blocks of the branches that were left; empty if they were not recorded. */
  branchBlocks(): RecordingBlock[] {
    return this.#blocks("branches");
  }

  /** The nine roots under the state hash of the last block. */
  subCacheMerkleRoots(): Buffer {
    return Buffer.from(this.#json<{ payload: string }>("sub-cache-roots.json")?.payload ?? "", "hex");
  }

  /** Finalization proofs by epoch; empty if none were recorded. */
  finalizationProofs(): ReadonlyMap<number, Buffer> {
    const lines = this.#lines<{ epoch: number; proof: string }>("finalization-proofs");
    return new Map(lines.map(({ epoch, proof }) => [epoch, Buffer.from(proof, "hex")]));
  }

  /**
   * Every proof of every round, while it was the newest, and the height of the chain then; empty if they were not
   * recorded.
   */
  rounds(): { readonly proof: Buffer; readonly at: number }[] {
    const lines = this.#lines<{ proof: string; chain: number }>("rounds");
    return lines.map(({ proof, chain }) => ({ proof: Buffer.from(proof, "hex"), at: chain }));
  }

  /** The block that the node knew to be final when it executed block `height`, or a lower one if that was not recorded. */
  finalizedBefore(height: number): number {
    const all = this.#json<[number, number][]>("finalized-before.json") ?? [];
    return all.findLast(([block]) => block <= height)?.[1] ?? 0;
  }

  #blocks(name: string): RecordingBlock[] {
    return this.#lines<Line>(name).map(({ block, statement }) => {
      const bytes = Buffer.from(block, "hex");
      return { bytes, statement: Buffer.from(statement ?? "", "hex"), decoded: decodeBlock(bytes, this.network) };
    });
  }

  #lines<T>(name: string): T[] {
    const file = `${this.#folder}/${name}.jsonl.gz`;
    return existsSync(dataPath(file)) ? dataLines(file) : [];
  }

  #json<T>(name: string): T | undefined {
    const file = this.#read(name);
    return file && (JSON.parse(file.toString("utf8")) as T);
  }

  /** Undefined for a file that was not recorded. */
  #read(name: string): Buffer | undefined {
    const file = `${this.#folder}/${name}`;
    return existsSync(dataPath(file)) ? dataFile(file) : undefined;
  }
}
