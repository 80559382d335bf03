import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { CertificateError } from "../../catapult/certificate/der.js";
import { ChainFileError } from "../../devnet/chain/chain.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";

describe("a restarted devnet", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeEach(async () => {
    fixture = await DevnetFixture.start();
    [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
    await harvestWithPayments(fixture.devnet, 6);
  });

  afterEach(() => fixture.stop());

  async function harvestWithPayments(devnet: Devnet, count: number): Promise<void> {
    for (let block = 0; block < count; block += 1) {
      devnet.announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: BigInt(devnet.height) }));
      await devnet.harvest(1);
    }
  }

  /** Everything that must be the same after a restart. */
  async function snapshot(height = fixture.devnet.height) {
    const { devnet, client } = fixture;
    const heights = Array.from({ length: height }, (_, index) => index + 1);
    return {
      blocks: await Promise.all(heights.map((at) => client.blocks(at, { maxBlocks: 1, maxBytes: 1 }))),
      statistics: heights.map((at) => devnet.block(at).score),
      finalization: await client.finalizationStatistics(),
      proof: await client.finalizationProofAtEpoch(devnet.finalized.epoch),
    };
  }

  function balances(): bigint[] {
    return fixture.devnet.accounts.map(({ balance }) => balance);
  }

  async function reopen(options?: Parameters<DevnetFixture["open"]>[0]): Promise<void> {
    await fixture.close();
    await fixture.open(options);
  }

  test("continues with the same chain, accounts, and finalization", async () => {
    fixture.devnet.finalize(4);
    const [before, money, key] = [await snapshot(), balances(), fixture.devnet.publicKey];
    await reopen();
    expect(await snapshot()).toEqual(before);
    expect(balances()).toEqual(money);
    expect(fixture.devnet.publicKey).toEqual(key);
    await harvestWithPayments(fixture.devnet, 2);
    expect(fixture.devnet.height).toBe(9);
    expect(() => fixture.devnet.fork({ from: 3, blocks: 1 })).toThrow("heights 4 to 9");
  });

  test("creates the blocks that it would have created without the restart", async () => {
    const frozen = Date.now() + 60_000;
    const clock = () => frozen;
    await reopen({ clock });
    const payment = signedPayload(fixture.devnet, alice, { recipientAddress: bob.address, amount: 3n });
    const once = fixture.devnet.fork({ from: 7, blocks: 2, transactions: [[payment]] }).map(({ hash }) => hash);
    await fixture.close();
    // once more, from the file as it was before
    const bytes = await readFile(fixture.chainFile);
    await fixture.open({ clock });
    expect(fixture.devnet.block(9).hash).toEqual(once[1]);
    const next = (await fixture.devnet.harvest(1))[0]?.hash;
    await fixture.close();
    await writeFile(fixture.chainFile, bytes);
    await fixture.open({ clock });
    expect((await fixture.devnet.harvest(1))[0]?.hash).toEqual(next);
  });

  test("can fork blocks created before the restart", async () => {
    const money = balances();
    await reopen();
    fixture.devnet.fork({ from: 1, blocks: 2 });
    expect(fixture.devnet.unconfirmedCount).toBe(6);
    expect(fixture.account("alice").balance).toBe(alice.balance);
    await fixture.devnet.harvest(1);
    expect(fixture.account("bob").balance).toBe(money[1]);
    const after = await snapshot();
    await reopen();
    expect(await snapshot()).toEqual(after);
    expect(fixture.devnet.height).toBe(4);
  });

  test("knows confirmed transactions", async () => {
    const [payload] = await fixture.client.blocks(2, { maxBlocks: 1, maxBytes: 1 });
    await reopen();
    expect(fixture.devnet.announce((payload as Buffer).subarray(376)).isUnconfirmed).toBe(false);
  });

  test.each([1, 7, 8, 9, 100, 400])("drops a last block of which only %i bytes were written", async (bytes) => {
    const [before, money] = [await snapshot(), balances()];
    const size = (await readFile(fixture.chainFile)).length;
    await harvestWithPayments(fixture.devnet, 1);
    await fixture.close();
    await truncate(fixture.chainFile, size + bytes);
    await fixture.open();
    expect(fixture.devnet.height).toBe(7);
    expect(await snapshot()).toEqual(before);
    expect(balances()).toEqual(money);
    expect((await readFile(fixture.chainFile)).length).toBe(size);
    await harvestWithPayments(fixture.devnet, 1);
  });

  test("keeps the old branch if the new one was written incompletely", async () => {
    const [before, money] = [await snapshot(), balances()];
    const size = (await readFile(fixture.chainFile)).length;
    fixture.devnet.fork({ from: 2, blocks: 9 });
    const whole = (await readFile(fixture.chainFile)).length;
    await fixture.close();
    for (const end of [whole - 1, Math.floor((size + whole) / 2), size + 10]) {
      await truncate(fixture.chainFile, end);
      await fixture.open();
      expect(fixture.devnet.height).toBe(7);
      expect(await snapshot()).toEqual(before);
      expect(balances()).toEqual(money);
      await fixture.close();
      expect((await readFile(fixture.chainFile)).length).toBe(size);
    }
    await fixture.open();
  });

  test("drops what follows a damaged record, and zeros at the end", async () => {
    const before = await snapshot(6);
    await fixture.close();
    const bytes = await readFile(fixture.chainFile);
    const at = bytes.length - 20;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await writeFile(fixture.chainFile, bytes);
    await fixture.open();
    expect(fixture.devnet.height).toBe(6);
    expect(await snapshot()).toEqual(before);
    await fixture.close();
    await appendFile(fixture.chainFile, Buffer.alloc(1000));
    await fixture.open();
    expect(await snapshot()).toEqual(before);
  });

  test("rejects a folder of another seed", async () => {
    await fixture.close();
    await expect(fixture.open({ seed: "another" })).rejects.toThrow(CertificateError);
    await fixture.open();
    expect(fixture.devnet.height).toBe(7);
  });

  test("rejects a chain file with another nemesis block", async () => {
    await fixture.close();
    await expect(fixture.open({ rules: { inflation: 1n } })).rejects.toThrow(ChainFileError);
    await fixture.open();
  });

  test("is stopped once, and creates nothing afterwards", async () => {
    const { devnet } = fixture;
    await Promise.all([devnet.stop(), devnet.stop()]);
    await expect(devnet.harvest(1)).rejects.toThrow("stopped");
    expect(() => devnet.fork({ from: 1, blocks: 1 })).toThrow("stopped");
  });
});
