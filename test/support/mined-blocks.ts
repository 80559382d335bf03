import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { signData } from "../../catapult/crypto/signature.js";
import { blockHash } from "../../catapult/entity/hashes.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import { writeBlock } from "../../devnet/chain/block-layout.js";
import { account, type MinedBlock, NETWORK, signed, type TestChain } from "../devnet/state-test-chain.js";
import type { ServedBlock } from "./branch-node.js";

const NO_FIGURES = {
  votingEligibleAccountsCount: 0,
  harvestingEligibleAccountsCount: 0n,
  totalVotingBalance: 0n,
  previousImportanceBlockHash: Buffer.alloc(32),
};

/** The blocks of a chain that was executed, signed and in the node's own bytes. */
export function minedBlocks(chain: TestChain): ServedBlock[] {
  let previousHash: Buffer = Buffer.alloc(32);
  return chain.mined.map((mined) => {
    const block = writeMined(mined, previousHash);
    previousHash = blockHash(block);
    return { block, statement: mined.executed.statement };
  });
}

function writeMined({ height, timestamp, harvester, transactions, executed }: MinedBlock, previous: Buffer): Buffer {
  const { publicKey, privateKey, address } = account(harvester);
  const payloads = transactions.map(signed);
  const leaves = payloads.map((bytes) => decodeTransaction(bytes, NETWORK).merkleComponentHash);
  const type = height === 1 ? BLOCK_TYPE.nemesis : BLOCK_TYPE.normal;
  return writeBlock(
    {
      type,
      network: NETWORK.identifier,
      height,
      timestamp,
      difficulty: 100_000_000_000_000n,
      generationHashProof: Buffer.alloc(80),
      previousBlockHash: previous,
      transactionsHash: merkleRoot(leaves),
      receiptsHash: executed.receiptsHash,
      stateHash: executed.stateHash,
      beneficiaryAddress: address,
      feeMultiplier: 0,
      footer: type === BLOCK_TYPE.nemesis ? NO_FIGURES : undefined,
      transactions: payloads,
    },
    { publicKey, privateKey, sign: (data) => signData(privateKey, data) },
  );
}
