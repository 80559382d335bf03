import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { Block, NetworkIdentity } from "../../catapult/entity/model.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";
import { sharedPath } from "./shared-folder.js";

/** Chains that this project recorded. */
export const OWN_CHAINS = fileURLToPath(new URL("../../../test/data/", import.meta.url));

interface Line {
  readonly height: number;
  readonly block: string;
  /** Recorded by some only. */
  readonly statement?: string;
}

/** A block with its bytes, as a node sends it. */
export interface SharedBlock {
  readonly bytes: Buffer;
  /** Empty if it was not recorded. */
  readonly statement: Buffer;
  readonly decoded: Block;
}

/** A chain that a real node recorded, with its network, in a folder such as `chain/main-rules`: see the README there. */
export class SharedChain {
  readonly #folder: string;
  readonly config: NetworkConfig;
  readonly network: NetworkIdentity;
  /** From height 1 on. */
  readonly blocks: readonly SharedBlock[];

  /** @param folder its name in `root`, which is `../shared` by default */
  constructor(folder: string, root = sharedPath("")) {
    this.#folder = join(root, folder);
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
    this.blocks = this.#lines<Line>("blocks").map(({ block, statement }) => {
      const bytes = Buffer.from(block, "hex");
      return { bytes, statement: Buffer.from(statement ?? "", "hex"), decoded: decodeBlock(bytes, this.network) };
    });
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

  /** The block that the node knew to be final when it executed block `height`, or a lower one if that was not recorded. */
  finalizedBefore(height: number): number {
    const all = this.#json<[number, number][]>("finalized-before.json") ?? [];
    return all.findLast(([block]) => block <= height)?.[1] ?? 0;
  }

  #lines<T>(name: string): T[] {
    const file = this.#read(`${name}.jsonl.gz`);
    const lines = file ? gunzipSync(file).toString("utf8").split("\n") : [];
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
  }

  #json<T>(name: string): T | undefined {
    const file = this.#read(name);
    return file && (JSON.parse(file.toString("utf8")) as T);
  }

  /** Undefined for a file that was not recorded. */
  #read(name: string): Buffer | undefined {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file) : undefined;
  }
}
