import { expect, test } from "@jest/globals";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { proofBy } from "../support/voted-chain.js";

const SHAPE = { blocks: 70, seed: 5, accounts: 20, votingSetGrouping: 20 };
const { network, keys } = executableNetwork(SHAPE);
const generated = [...generateExecutableChain(SHAPE)];
const proofs = new Map(generated.flatMap(({ proof }) => (proof ? [[proof.epoch, proof.bytes]] : [])));
const served = generated.map(({ block }) => ({ block, statement: Buffer.alloc(0) }));
/** A block below the end of epoch 3. */
const BAD = 31;
const DIFFICULTY = 128;

/** Fills an index from a node. @returns its height then, and the error */
async function fillFrom(
  blocks: readonly ServedBlock[],
  shown: ReadonlyMap<number, Buffer>,
  claimed = { epoch: 4, point: 1, height: 60 },
) {
  const node = await BranchNode.start({ blocks: served, network: network.identity });
  const index = await IndexedDatabase.create();
  try {
    node.serve(blocks);
    node.showProofs(shown);
    node.finalize(claimed);
    const filling = fillExecuted(index, network.config, { nodes: [node.address], verify: "hashes", to: 60 });
    const problem = await filling.then(
      () => "",
      (error: Error) => error.message,
    );
    const head = await index.db.selectFrom("head").select(["height", "finalized_height"]).execute();
    const final = await index.db.selectFrom("finalized_blocks").select(["epoch", "point", "height"]).execute();
    return { problem, head: head[0]!, final };
  } finally {
    await index.drop();
    await node.close();
  }
}

const changed = (offset: number) =>
  served.map((one, index) => {
    if (index !== BAD - 1) return one;
    const block = Buffer.from(one.block);
    block.writeUInt8(block.readUInt8(offset) ^ 1, offset);
    return { ...one, block };
  });

test("a final chain is filled, although its generation hash proofs are invalid", async () => {
  const { problem, head } = await fillFrom(served, proofs);
  expect({ problem, head }).toEqual({ problem: "", head: { height: 60, finalized_height: 60 } });
});

test("the point of the first block's finalization is known, whatever the node claims", async () => {
  const { final } = await fillFrom(served, new Map(), { epoch: 1, point: 3, height: 1 });
  expect(final).toEqual([{ epoch: 1, point: 1, height: 1 }]);
});

test("without votes the generation hash proofs are verified", async () => {
  const { problem, head } = await fillFrom(served, new Map());
  expect(problem).toMatch(/^block 2: generationHashProof is invalid/);
  expect(head.height).toBeLessThan(2);
});

test("votes for another block than that of the chain do not prove the blocks below it", async () => {
  const round = { epoch: 3, point: 1, height: 40, hash: Buffer.alloc(32, 7) };
  const other = new Map(proofs).set(3, proofBy(keys, round));
  // The votes of epoch 4 are for a block after all of them.
  expect(await fillFrom(served, other)).toMatchObject({ problem: "", head: { height: 60, finalized_height: 60 } });
  other.delete(4);
  const { problem, head } = await fillFrom(served, other);
  expect(problem).toMatch(/^block \d+: generationHashProof is invalid/);
  expect(head).toEqual({ height: 20, finalized_height: 20 });
});

test.each([
  ["stateHash", BLOCK.stateHash],
  ["receiptsHash", BLOCK.stateHash - 32],
  ["difficulty", DIFFICULTY],
])("names the %s of a forged block, and keeps nothing of it", async (field, offset) => {
  const { problem, head } = await fillFrom(changed(offset), proofs);
  expect(problem).toMatch(new RegExp(`^block ${BAD}: ${field} is `));
  expect(head).toEqual({ height: 20, finalized_height: 20 });
});
