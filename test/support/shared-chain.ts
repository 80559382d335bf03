import { gunzipSync } from "node:zlib";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";
import { isShared, sharedFile, sharedJson } from "./shared-folder.js";

interface Line {
  readonly height: number;
  readonly block: string;
  readonly statement: string;
}

/** A block with its bytes, as a node sends it. */
export interface SharedBlock {
  readonly bytes: Buffer;
  readonly statement: Buffer;
  readonly decoded: Block;
}

/** A chain that a real node recorded, with its network, in a folder such as `chain/main-rules`: see the README there. */
export class SharedChain {
  /** Below `../shared`. */
  readonly folder: string;
  readonly config: NetworkConfig;
  readonly network: NetworkIdentity;
  /** From height 1 on. */
  readonly blocks: readonly SharedBlock[];

  constructor(folder: string) {
    this.folder = folder;
    const read = (name: string) => sharedFile(`${folder}/resources/${name}.properties`).toString("utf8");
    const hasFinalization = isShared(`${folder}/resources/config-finalization.properties`);
    this.config = parseNetworkConfig(
      read("config-network"),
      read("config-inflation"),
      hasFinalization ? read("config-finalization") : undefined,
    );
    this.network = {
      identifier: this.config.networkIdentifier,
      generationHashSeed: this.config.generationHashSeed,
    };
    this.blocks = this.#lines<Line>("blocks").map(({ block, statement }) => {
      const bytes = Buffer.from(block, "hex");
      return { bytes, statement: Buffer.from(statement, "hex"), decoded: decodeBlock(bytes, this.network) };
    });
  }

  /** The nine roots under the state hash of the last block. */
  subCacheMerkleRoots(): Buffer {
    return Buffer.from(sharedJson<{ payload: string }>(`${this.folder}/sub-cache-roots.json`).payload, "hex");
  }

  /** Finalization proofs by epoch; empty if none were recorded. */
  finalizationProofs(): ReadonlyMap<number, Buffer> {
    const lines = this.#lines<{ epoch: number; proof: string }>("finalization-proofs");
    return new Map(lines.map(({ epoch, proof }) => [epoch, Buffer.from(proof, "hex")]));
  }

  /** The block that the node knew to be final when it executed block `height`, or a lower one if that was not recorded. */
  finalizedBefore(height: number): number {
    const name = `${this.folder}/finalized-before.json`;
    if (!isShared(name)) return 0;
    const known = sharedJson<[number, number][]>(name).filter(([block]) => block <= height);
    return known.at(-1)?.[1] ?? 0;
  }

  #lines<T>(name: string): T[] {
    const file = `${this.folder}/${name}.jsonl.gz`;
    if (!isShared(file)) return [];
    const text = gunzipSync(sharedFile(file)).toString("utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  }
}
