import { expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { findBlock } from "../../database/queries/blocks.js";
import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeTestNetwork } from "../support/main-network.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";

const SEED = Buffer.from("57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6", "hex");

describeTestNetwork("the first block of the public test network", (stored) => {
  test("is indexed from a node that does not answer requests for a missing statement", async () => {
    const recording = recordedNode(new RecordedChain());
    const block = stored.subarray(0, stored.readUInt32LE(0));
    const nodeInfo = Buffer.from(recording.nodeInfo);
    SEED.copy(nodeInfo, nodeInfo.indexOf(recording.network.generationHashSeed));
    const node = await BranchNode.start({
      network: { identifier: 152, generationHashSeed: SEED },
      blocks: [{ block, statement: Buffer.alloc(0) }],
      nodeInfo,
      credentials: serverCredentials,
      log: silentLog,
    });
    node.handlers.set(PacketType.blockStatement, () => undefined);
    const index = await IndexedDatabase.create();
    try {
      await index.follow(node.address);
      const head = await index.waitFor(({ height }) => height === 1);
      expect(head.hash).toEqual(node.hashAt(1));
      const body = (await findBlock(index.db, 1))?.body;
      expect(JSON.parse(body ?? "").meta.generationHash).toBe(
        "FAC30131616F40CCE67E8D4E69E97E7641571620F65D2DD6A775EEE0C078051C",
      );
    } finally {
      await index.drop();
      await node.close();
    }
  });
});
