import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { DevnetFixture } from "../support/devnet.js";
import { LogLines } from "../support/log-lines.js";
import { TransactionMaker } from "../support/transaction-maker.js";

describe("the finalization of a devnet", () => {
  let fixture: DevnetFixture;

  beforeEach(async () => {
    fixture = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
  });

  afterEach(() => fixture.stop());

  test("begins with the nemesis block", async () => {
    const { devnet, client } = fixture;
    const { hash } = devnet.block(1);
    const first = { epoch: 1, point: 1, height: 1, hash };
    expect(await client.finalizationStatistics()).toEqual(first);
    const proof = decodeFinalizationProof((await client.finalizationProofAtEpoch(1)) as Buffer);
    expect(proof).toEqual({ version: 1, ...first, messageGroups: [] });
    expect(await client.finalizationProofAtHeight(1)).toEqual(await client.finalizationProofAtEpoch(1));
    expect(await client.finalizationProofAtEpoch(0)).toBeUndefined();
    expect(await client.finalizationProofAtEpoch(2)).toBeUndefined();
    expect(await client.finalizationProofAtHeight(0)).toBeUndefined();
  });

  test("rounds grow within an epoch, and do not cross its end", async () => {
    const { devnet, client } = fixture;
    await devnet.harvest(34);
    const told: unknown[] = [];
    devnet.events.on("finalizedBlock", ({ epoch, point, height }) => told.push([epoch, point, height]));
    for (const height of [4, 7, 10, 12, 35]) devnet.finalize(height);
    expect(told).toEqual([
      [2, 1, 4],
      [2, 2, 7],
      [2, 3, 10],
      [3, 1, 12],
      [3, 2, 20],
      [4, 1, 30],
      [5, 1, 35],
    ]);
    const { hash } = devnet.block(35);
    expect(await client.finalizationStatistics()).toEqual({ epoch: 5, point: 1, height: 35, hash });
    expect((await client.chainStatistics()).finalizedHeight).toBe(35);
    devnet.finalize(3);
    expect((await client.finalizationStatistics()).height).toBe(35);
    expect(() => devnet.finalize(36)).toThrow("the chain has 35");
  });

  test("proofs are available by epoch, and by height at the ends of epochs", async () => {
    const { devnet, client } = fixture;
    await devnet.harvest(34);
    for (const height of [7, 10, 25, 35]) devnet.finalize(height);
    for (const [epoch, height] of [
      [2, 10],
      [3, 20],
      [4, 30],
      [5, 35],
    ] as const) {
      const proof = decodeFinalizationProof((await client.finalizationProofAtEpoch(epoch)) as Buffer);
      expect(proof).toMatchObject({ epoch, height, hash: devnet.block(height).hash });
      const isEnd = height !== 35;
      expect(await client.finalizationProofAtHeight(height)).toEqual(
        isEnd ? await client.finalizationProofAtEpoch(epoch) : undefined,
      );
    }
    expect(await client.finalizationProofAtHeight(9)).toBeUndefined();
    expect(await client.finalizationProofAtHeight(40)).toBeUndefined();
  });
});

describe("a devnet where another account has a voting key", () => {
  test.each([
    ["on request", false],
    ["by itself", true],
  ])("finalizes, %s, nothing that needs more votes than the harvester's", async (how, auto) => {
    const log = new LogLines();
    const finalization = { auto, lag: 0, interval: 1 };
    const fixture = await DevnetFixture.start({ rules: MAIN_NETWORK_RULES, finalization, log: log.logger });
    try {
      const { devnet } = fixture;
      const epochEnd = MAIN_NETWORK_RULES.votingSetGrouping;
      expect(devnet.announce(votingKeyLink(fixture, "alice"))).toMatchObject({ isUnconfirmed: true });
      await devnet.harvest(epochEnd + 5);
      if (!auto) {
        devnet.finalize(epochEnd);
        expect(() => devnet.finalize(epochEnd + 1)).toThrow(
          /^finalization proof of epoch 3, point 1: hash has prevotes of 20\d{12} of 48\d{12}: 32\d{12} are needed/,
        );
      }
      expect(devnet.finalized).toMatchObject({ epoch: 2, height: epochEnd });
      const messages = log.matching(/devnet: the harvester's votes do not finalize any more blocks/);
      expect({ how, messages: messages.length }).toEqual({ how, messages: auto ? 1 : 0 });

      // as after a restart
      await fixture.close();
      await fixture.open();
      expect(() => fixture.devnet.finalize(epochEnd + 1)).toThrow(FinalizationProofError);
    } finally {
      await fixture.stop();
    }
  });

  function votingKeyLink(fixture: DevnetFixture, name: string): Buffer {
    const { devnet } = fixture;
    return new TransactionMaker(devnet).transaction(fixture.account(name), {
      type: "voting_key_link_transaction_v1",
      linkedPublicKey: new Uint8Array(32).fill(7),
      startEpoch: 1,
      endEpoch: 200,
      linkAction: "link",
    });
  }
});
