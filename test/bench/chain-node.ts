import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { GENERATED_NETWORK, generateChain } from "../support/generated-chain.js";
import { nodeInfoOf } from "../support/node-info.js";

/** A node in its own process, with a generated chain; the argument is the number of blocks. Sends its port. */

const node = await BranchNode.start({
  blocks: [...generateChain({ blocks: Number(process.argv[2]), seed: 1, isSigned: false })],
  network: GENERATED_NETWORK,
  nodeInfo: nodeInfoOf(GENERATED_NETWORK),
  credentials: serverCredentials,
  log: silentLog,
});
process.send?.({ port: node.address.port });
process.on("disconnect", () => process.exit());
