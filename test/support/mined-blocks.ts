import { account, CURRENCY, NETWORK, signed, type TestChain } from "../devnet/state-test-chain.js";
import type { ServedBlock } from "./branch-node.js";
import { makeBlock } from "./made-block.js";

/** The blocks of a chain that was executed, signed and in the node's own bytes. */
export function minedBlocks(chain: TestChain): ServedBlock[] {
  let previousHash: Buffer = Buffer.alloc(32);
  return chain.mined.map(({ height, timestamp, harvester, transactions, executed }) => {
    const { statement, stateHash } = executed;
    const results = { currency: CURRENCY, feeMultiplier: 0, statement, stateHash };
    const made = { network: NETWORK, harvester: account(harvester), height, timestamp, previousHash, ...results };
    const block = makeBlock({ ...made, transactions: transactions.map(signed) });
    previousHash = block.hash;
    return block;
  });
}
