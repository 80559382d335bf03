import { readFileSync } from "node:fs";
import type { Devnet } from "../../devnet/devnet.js";
import type { ExecutionOptions } from "../../indexer/chain/execution/options.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { devnetConfig } from "./devnet-execution.js";
import { publicConfig } from "./main-network.js";
import { RecordedChain } from "./recorded-chain.js";

/** Rules by generation hash seed, as hex. */
const known = new Map<string, NetworkConfig>();

/** Lets an index of a devnet be executed without further options. */
export async function knowDevnet(devnet: Devnet): Promise<void> {
  const config = await devnetConfig(devnet);
  known.set(config.generationHashSeed.toString("hex"), config);
}

/** Executes blocks of the networks that are known, of the recorded one and of the public ones. */
export const knownExecution: ExecutionOptions = {
  configOf: (network) => {
    const seed = network.generationHashSeed.toString("hex");
    return known.get(seed) ?? recorded(seed) ?? publicConfig(network);
  },
};

/** The rules of the recorded network, for nodes and for an indexer. */
export function recordedConfig(chain: RecordedChain): NetworkConfig {
  const read = (name: string) => readFileSync(chain.path(`resources/${name}.properties`), "utf8");
  return parseNetworkConfig(read("config-network"), read("config-inflation"));
}

function recorded(seed: string): NetworkConfig | undefined {
  const chain = new RecordedChain();
  return chain.network.generationHashSeed.toString("hex") === seed ? recordedConfig(chain) : undefined;
}
