import { expect } from "@jest/globals";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { type DevnetFixture, signedPayload, type TransactionFields } from "./devnet.js";
import type { IndexedDatabase } from "./indexer-fixture.js";
import { accountMetadata, writeStateScenario } from "./state-scenario.js";
import { TransactionMaker } from "./transaction-maker.js";
import { VotedChain } from "./voted-chain.js";

/** Height of a block with a fee that matters for the importances of the next group of blocks. */
const FEE_HEIGHT = 25;
/** Height of the first part of the chain: all of it is final. */
export const MIDDLE = 40;
/** Up to here, and at five heights above, too. */
export const HEIGHT = 44;

/** A chain with every kind of state, for indexes whose rules are others, and an index that has followed it with the right rules. */
export async function followedDifferingChain(): Promise<{
  readonly chain: VotedChain;
  readonly reference: IndexedDatabase;
}> {
  const chain = await VotedChain.record("differing state", write, [10, 20, 30, MIDDLE, HEIGHT, 45, 46, 47, 49]);
  const node = await chain.serve();
  chain.show(node, HEIGHT, HEIGHT);
  return { chain, reference: await chain.reference(node, HEIGHT) };
}

async function write(fixture: DevnetFixture): Promise<void> {
  const { devnet } = fixture;
  const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => fixture.account(name)) as [
    DevnetAccount,
    DevnetAccount,
    DevnetAccount,
  ];
  const { parties } = await writeStateScenario(devnet);
  const maker = new TransactionMaker(devnet);
  const harvest = async (...transactions: Buffer[]) => {
    for (const bytes of transactions) devnet.announce(bytes);
    await devnet.harvest(1);
  };
  // A remote account that owns something and never signed, and a key that the state does not have.
  const linked = (type: string, key: Buffer) => ({ type, linkedPublicKey: key.toString("hex"), linkAction: "link" });
  await harvest(
    maker.transaction(carol, linked("account_key_link_transaction_v1", parties.at(-1)!.publicKey)),
    maker.transaction(carol, linked("vrf_key_link_transaction_v1", Buffer.alloc(32))),
  );
  expect(devnet.height).toBeLessThan(20);
  while (devnet.height < FEE_HEIGHT - 1) await harvest(signedPayload(devnet, alice, { amount: 1n }));
  await harvest(signedPayload(devnet, alice, { amount: 1n, feeMultiplier: 1_200_000_000 }));
  while (devnet.height < HEIGHT) await harvest(signedPayload(devnet, devnet.height % 2 ? alice : bob, { amount: 1n }));
  const nodeKey = (linkAction: string) => {
    return { ...linked("node_key_link_transaction_v1", parties[0]!.publicKey), linkAction };
  };
  const metadata = (valueSizeDelta: number) => {
    const descriptor = { ...accountMetadata(alice, 99n, Buffer.from("gone")), valueSizeDelta };
    return maker.aggregate({ embedded: [maker.embedded(alice, descriptor)], signer: alice });
  };
  await harvest(maker.transaction(alice, nodeKey("link")), metadata(4));
  await harvest(maker.transaction(alice, nodeKey("unlink")), metadata(-4));
  await harvest(signedPayload(devnet, alice, toCarol(fixture, 1_001n)));
  await harvest(signedPayload(devnet, bob, { amount: 1n }));
  await harvest(signedPayload(devnet, alice, toCarol(fixture, 3n)));
  await harvest(signedPayload(devnet, alice, toCarol(fixture, 2_005n)));
  expect(devnet.unconfirmedCount).toBe(0);
}

export function toCarol(fixture: DevnetFixture, amount: bigint): TransactionFields {
  return { recipientAddress: fixture.account("carol").address, amount };
}

/** The rules without a plugin. */
export const without = (plugin: string) => (config: NetworkConfig) => ({
  ...config,
  plugins: config.plugins.filter((name) => name !== `catapult.plugins.${plugin}`),
});

/** Height since which the state differs; undefined while it does not. */
export async function differsSince({ db }: IndexedDatabase): Promise<number | undefined> {
  const row = await db.selectFrom("differing_blocks").selectAll().where("roots", "is not", null).executeTakeFirst();
  return row?.first_height;
}
