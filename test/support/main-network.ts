import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { publicNetwork } from "../../catapult/network/public-networks.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { dataFile, dataPath } from "./test-data.js";

const FOLDER = "mainnet/";

export const MAIN_NETWORK: NetworkIdentity = {
  identifier: 104,
  generationHashSeed: Buffer.from("57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6", "hex"),
};

export const TEST_NETWORK: NetworkIdentity = {
  identifier: 152,
  generationHashSeed: Buffer.from("49D6E1CE276A85B70EAFE52349AACCA389302E7A9754BCF1221E79494FC665A4", "hex"),
};

/** The first block of the public main network, and the data that its nodes store with it. */
export class MainNetwork {
  readonly block = this.file("nemesis-block.bin.gz");
  readonly statement = this.file("nemesis-statement.bin");
  /** Nine times 32 bytes. */
  readonly subCacheMerkleRoots = this.file("sub-cache-merkle-roots.bin");

  /** The bytes of a file in its folder, such as `resources/config-network.properties`. */
  file(name: string): Buffer {
    return dataFile(`${FOLDER}${name}`);
  }

  /** Path of the folder with the properties of its nodes. */
  get resourcesDirectory(): string {
    return dataPath(`${FOLDER}resources`);
  }
}

/** The built-in configuration of a public network, as the state engine reads it. */
export function publicConfig(network: NetworkIdentity): NetworkConfig {
  const known = publicNetwork(network);
  if (!known) throw new Error("this is no public network");
  return parseNetworkConfig(known.network, known.inflation, known.finalization);
}
