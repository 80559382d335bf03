import { expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { ChainRecording } from "../support/chain-recording.js";
import { checkIndex } from "../support/checked-index.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { RecordedPeer } from "../support/recorded-peer.js";

/** Of a random walk beside a node: all kinds of state begin, change, end and become final in its blocks. */
const chain = new ChainRecording("walk");
const execution = { configOf: () => chain.config };
/** Blocks, lists and entries of each kind that one check draws; head, finality and the trees of state are always whole. */
const SAMPLE = 5;
/** Heights at which nothing is left out. */
const isWhole = (height: number) => height % 50 === 0;

test("check finds nothing at any height, nor between a finalization and the next block", async () => {
  const blocks = chain.blocks.map(({ bytes }) => ({ block: bytes, statement: Buffer.alloc(0) }));
  const all = [...chain.finalizationProofs().values()].map((proof) => ({
    proof,
    final: decodeFinalizationProof(proof),
  }));
  const peer = await RecordedPeer.start(chain, 1);
  const index = await IndexedDatabase.create();
  let checks = 0;

  async function expectClean(): Promise<void> {
    const sample = isWhole(peer.height) ? undefined : SAMPLE;
    const { found, left } = await checkIndex({ databaseUrl: index.url, nodes: [peer.address], execution, sample });
    expect({ height: peer.height, final: peer.finalizedHeight, found, left }).toMatchObject({ found: [], left: [] });
    checks += 1;
  }

  try {
    await index.follow(peer.address, { execution });
    let proofs: Buffer[] = [];
    for (let height = 1; height <= blocks.length; height++) {
      peer.show({ blocks: blocks.slice(0, height), proofs });
      await index.waitForHash(peer.hashAt(height));
      await expectClean();
      // What the node knew to be final when it executed the next block.
      const known = all.filter(({ final }) => final.height <= chain.finalizedBefore(height + 1));
      if (known.length === proofs.length) continue;
      proofs = known.map(({ proof }) => proof);
      peer.show({ blocks: blocks.slice(0, height), proofs });
      await index.waitFor(({ finalization }) => finalization.height === peer.finalizedHeight);
      await expectClean();
    }
    expect(checks).toBeGreaterThan(blocks.length + 5);
  } finally {
    await index.drop();
    await peer.close();
  }
}, 900_000);
