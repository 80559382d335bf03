import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { openDatabase } from "../../database/connection.js";
import type { DevnetNetwork } from "../../devnet/network/network.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { createFilledDatabase, type TestDatabase } from "./database.js";
import { type ExecutableBlock, executableNetwork, generateExecutableChain } from "./executable-chain.js";
import { fillExecuted } from "./fill-executed.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { generateLargeBlock } from "./large-block.js";

/** A chain that a node serves and an indexer executes: only the first test file of a run that needs it generates it. */
export interface ServedChain {
  readonly name: string;
  readonly network: DevnetNetwork;
  readonly generate: () => readonly (ServedBlock & Partial<Pick<ExecutableBlock, "proof">>)[];
}

const SHAPE = { seed: 5, accounts: 8, votingSetGrouping: 20 };

/** The network of all chains of {@link chainOf}. */
export const { network: CHAIN_NETWORK } = executableNetwork(SHAPE);
/** The seed of their accounts: `executableAccount`. */
export const CHAIN_SEED = SHAPE.seed;

/** Transfers and aggregates of eight accounts. The last ten blocks are not final. */
export function chainOf(blocks: number): ServedChain {
  const generate = () => [...generateExecutableChain({ ...SHAPE, blocks })];
  return { name: `chain_of_${blocks}`, network: CHAIN_NETWORK, generate };
}

/** Two blocks, of which the second one has about 6,500 small transfers. */
export function chainWithLargeBlock(): ServedChain {
  const { network, blocks } = generateLargeBlock(LARGE_BLOCK_BYTES, SHORT_MESSAGE_BYTES);
  return { name: "chain_with_large_block", network, generate: () => blocks };
}

const LARGE_BLOCK_BYTES = 1_300_000;
const SHORT_MESSAGE_BYTES = 8;

/** A database that an indexer has filled with the chain from a node. */
export function createChainDatabase({ name, network, generate }: ServedChain): Promise<TestDatabase> {
  const fill = async (url: string) => {
    const index = IndexedDatabase.at(url);
    const blocks = generate();
    const node = await BranchNode.start({ blocks, network: network.identity });
    try {
      const proofs = blocks.flatMap(({ proof }, place) => (proof ? [{ ...proof, height: place + 1 }] : []));
      node.showProofs(new Map(proofs.map(({ epoch, bytes }) => [epoch, bytes])));
      const newest = proofs.at(-1);
      if (newest) node.finalize({ epoch: newest.epoch, point: 1, height: newest.height });
      await fillExecuted(index, network.config, { nodes: [node.address], verify: "hashes", to: blocks.length });
    } finally {
      await node.close();
      await index.close();
    }
  };
  return createFilledDatabase({ name, fill });
}

/** The blocks of an index, decoded from the bytes in it. */
export async function readBlocks(url: string, network: NetworkIdentity): Promise<VerifiedBlock[]> {
  const db = openDatabase({ url, poolSize: 1 });
  try {
    const rows = await db.selectFrom("raw_blocks").selectAll().orderBy("height").execute();
    return rows.map(({ block, statement }) =>
      verifyBlock({ bytes: block, statementBytes: statement, network, checkSignatures: false }),
    );
  } finally {
    await db.destroy();
  }
}
