import { NodeResources } from "../../catapult/network/node-resources.js";
import type { Devnet } from "../../devnet/devnet.js";
import type { ExecutionOptions } from "../../indexer/chain/execution/options.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import type { ServedBlock } from "./branch-node.js";

/** The rules of a devnet, from its resources folder. */
export async function devnetConfig({ resourcesDirectory }: Devnet): Promise<NetworkConfig> {
  const resources = new NodeResources(resourcesDirectory);
  return parseNetworkConfig(await resources.network(), await resources.inflation(), await resources.finalization());
}

/** Execution of a devnet's blocks. */
export async function devnetExecution(devnet: Devnet): Promise<ExecutionOptions> {
  const config = await devnetConfig(devnet);
  return { configOf: () => config };
}

/** Blocks of a devnet from the first to its head, for a node that serves any blocks. */
export async function devnetBlocks({
  devnet,
  client,
}: {
  readonly devnet: Devnet;
  readonly client: { blocks(from: number, limits: { maxBlocks: number; maxBytes: number }): Promise<Buffer[]> };
}): Promise<ServedBlock[]> {
  const blocks: ServedBlock[] = [];
  while (blocks.length < devnet.height) {
    const part = await client.blocks(blocks.length + 1, { maxBlocks: 100, maxBytes: 10_000_000 });
    blocks.push(...part.map((block) => ({ block, statement: Buffer.alloc(0) })));
  }
  return blocks;
}
