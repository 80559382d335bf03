import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import type { NetworkIdentity } from "../../catapult/model.js";
import { publicNetwork } from "../../catapult/public-networks.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/state/network-config.js";

const FOLDER = new URL("../../../../shared/chain/mainnet/", import.meta.url);

export const MAIN_NETWORK: NetworkIdentity = {
  identifier: 104,
  generationHashSeed: Buffer.from("57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6", "hex"),
};

export const TEST_NETWORK: NetworkIdentity = {
  identifier: 152,
  generationHashSeed: Buffer.from("49D6E1CE276A85B70EAFE52349AACCA389302E7A9754BCF1221E79494FC665A4", "hex"),
};

/** The first block of the public main network, and what its nodes store beside it. */
export class MainNetwork {
  readonly block = gunzipSync(this.file("nemesis-block.bin.gz"));
  readonly statement = this.file("nemesis-statement.bin");
  /** Nine times 32 bytes. */
  readonly subCacheMerkleRoots = this.file("sub-cache-merkle-roots.bin");

  /** The bytes of a file in its folder, such as `resources/config-network.properties`. */
  file(name: string): Buffer {
    return readFileSync(new URL(name, FOLDER));
  }

  /** Path of the folder with the properties of its nodes. */
  get resourcesDirectory(): string {
    return fileURLToPath(new URL("resources", FOLDER));
  }
}

/** The built-in configuration of a public network, as the state engine reads it. */
export function publicConfig(network: NetworkIdentity): NetworkConfig {
  const known = publicNetwork(network);
  if (!known) throw new Error("this is no public network");
  return parseNetworkConfig(known.network, known.inflation);
}

/** Tests that need the main network's first block; where it is absent, they count as skipped. */
export function describeIfMainNetwork(name: string, body: (files: MainNetwork) => void): void {
  const isThere = existsSync(new URL("nemesis-block.bin.gz", FOLDER));
  if (isThere) describe(name, () => body(new MainNetwork()));
  else test.skip(`${name} (../shared/chain/mainnet is absent)`, () => undefined);
}
