import { readFileSync } from "node:fs";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import type { ServedBlock } from "./branch-node.js";
import { nodeInfoOf } from "./node-info.js";
import type { RecordedChain } from "./recorded-chain.js";

interface Line {
  readonly height: number;
  readonly block: string;
  readonly statement: string;
}

/** The chain with odd bytes that a real node accepted, its network, and its node's description of itself. */
export function acceptedChain(chain: RecordedChain) {
  const read = (name: string) => readFileSync(chain.path(`accepted/resources/${name}.properties`), "utf8");
  const config: NetworkConfig = parseNetworkConfig(read("config-network"), read("config-inflation"));
  const network = { identifier: config.networkIdentifier, generationHashSeed: config.generationHashSeed };
  const blocks: ServedBlock[] = chain.lines<Line>("accepted/blocks.jsonl.gz").map(({ block, statement }) => ({
    block: Buffer.from(block, "hex"),
    statement: Buffer.from(statement, "hex"),
  }));
  return { config, network, blocks, nodeInfo: nodeInfoOf(network) };
}
