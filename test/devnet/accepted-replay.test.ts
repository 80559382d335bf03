import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { parseNetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { describeRecorded } from "../support/describe-chains.js";

const BLOCKS = 806;

describeRecorded("the state engine, fed with the chain of odd bytes that a real node accepted", (chain) => {
  test("reproduces every recorded state hash, receipts hash, transactions hash and statement", () => {
    const read = (name: string) => readFileSync(chain.path(`accepted/resources/${name}.properties`), "utf8");
    const config = parseNetworkConfig(read("config-network"), read("config-inflation"));
    const network = { identifier: config.networkIdentifier, generationHashSeed: config.generationHashSeed };
    const state = new ChainState(config);
    const equal = { stateHash: 0, receiptsHash: 0, transactionsHash: 0, statement: 0 };
    for (const line of chain.lines<{ block: string; statement: string }>("accepted/blocks.jsonl.gz")) {
      const block = decodeBlock(Buffer.from(line.block, "hex"), network);
      const executed = state.execute(block);
      const transactionsHash = merkleRoot(block.transactions.map(({ merkleComponentHash }) => merkleComponentHash));
      equal.stateHash += Number(executed.stateHash.equals(block.entity.stateHash));
      equal.receiptsHash += Number(executed.receiptsHash.equals(block.entity.receiptsHash));
      equal.transactionsHash += Number(transactionsHash.equals(block.entity.transactionsHash));
      equal.statement += Number(executed.statement.equals(Buffer.from(line.statement, "hex")));
    }
    const figures = Object.entries(equal).map(([name, count]) => `${name} ${count} / ${BLOCKS}`);
    process.stderr.write(`replay of odd bytes: ${figures.join(", ")}\n`);
    expect(equal).toEqual({ stateHash: BLOCKS, receiptsHash: BLOCKS, transactionsHash: BLOCKS, statement: BLOCKS });
  });
});
