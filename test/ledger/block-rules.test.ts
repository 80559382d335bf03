import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import type { ExecutableBlock, ExecutableTransaction } from "../../ledger/rules/notifications.js";
import {
  bonded,
  metadata,
  rootNamespace,
  secretLock,
  secretProof,
  setId,
  vrfLink,
} from "../devnet/state-descriptors.js";
import {
  account,
  CURRENCY,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import { preview } from "../support/preview.js";

type Build = (chain: TestChain) => ExecutableTransaction;

/** A transaction of this account. */
function by(signer: string, descriptor: Descriptor): Build {
  return (chain) => chain.transaction(signer, descriptor);
}

/** Valid nowhere, whatever the state. */
const NEVER: readonly (readonly [code: string, build: Build])[] = [
  ["Failure_Namespace_Invalid_Name", by("alice", rootNamespace("BAD"))],
  [
    "Failure_Namespace_Name_Id_Mismatch",
    (c) => c.transaction("alice", rootNamespace("some"), (entity) => setId(entity, new models.NamespaceId(99n))),
  ],
  ["Failure_Namespace_Invalid_Duration", by("alice", rootNamespace("some", 1n))],
  [
    "Failure_Mosaic_Id_Mismatch",
    (c) => c.transaction("alice", mosaicDefinition("alice", 9), (entity) => setId(entity, new models.MosaicId(99n))),
  ],
  ["Failure_Mosaic_Invalid_Supply_Change_Amount", by("alice", supplyChange(mosaicOf("alice", 1), 0n))],
  ["Failure_LockSecret_Secret_Mismatch", by("bob", { ...secretProof("open"), proof: Buffer.from("wrong") })],
  ["Failure_Transfer_Message_Too_Large", by("alice", transfer("bob", [], new Uint8Array(1025)))],
  ["Failure_Core_Invalid_Transaction_Fee", by("alice", { ...transfer("bob"), fee: 2n ** 60n })],
  ["Failure_Core_Wrong_Network", (c) => withEntity(by("alice", transfer("bob"))(c), { network: 104 })],
  [
    "Failure_Transfer_Out_Of_Order_Mosaics",
    (c) => {
      const mosaic = { mosaicId: CURRENCY, amount: 1n };
      return withEntity(by("alice", transfer("bob"))(c), { mosaics: [mosaic, mosaic] });
    },
  ],
  ["Failure_Core_Invalid_Link_Action", (c) => withEntity(by("alice", vrfLink("bob", "link"))(c), { linkAction: 2 })],
  [
    "Failure_Metadata_Value_Size_Delta_Too_Large",
    (c) => {
      const change = { ...metadata("alice", "hello"), valueSizeDelta: 6 };
      return c.aggregate("alice", [c.embedded("alice", change)]);
    },
  ],
];

/** A transaction whose fields say something else than its bytes. */
function withEntity(transaction: ExecutableTransaction, change: Record<string, unknown>): ExecutableTransaction {
  const descriptors = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, { value }]));
  return { ...transaction, entity: Object.create(transaction.entity, descriptors) };
}

/** A chain on which alice owns a mosaic, and a lock that bob may open. */
function startedChain(): TestChain {
  const chain = new TestChain(["alice", "bob"]);
  for (const descriptor of [mosaicDefinition("alice", 1), secretLock("open"), rootNamespace("house", 100n)]) {
    chain.send("alice", descriptor);
  }
  return chain;
}

/** An empty block after those of a chain, with its header. */
function blockAfter(chain: TestChain, change: Partial<ExecutableBlock> = {}, harvester?: string): ExecutableBlock {
  const entity = { network: 152, type: BLOCK_TYPE.normal, version: 1, signature: Buffer.alloc(64) };
  return chain.nextBlock(harvester, { entity, ...change });
}

describe("a block is rejected, and changes nothing, if one of its transactions is valid in no state:", () => {
  const chain = startedChain();

  test.each(NEVER)("%s", (code, build) => {
    const before = chain.state.subCacheMerkleRoots();
    const transactions = [by("alice", transfer("bob", [[CURRENCY, 1n]]))(chain), build(chain)];
    const { height } = chain.state;
    expect(() => chain.state.execute(blockAfter(chain, { transactions }))).toThrow(
      new RegExp(`^transaction 1 \\([0-9A-F]{64}\\) of block ${height + 1}: ${code}$`),
    );
    expect(chain.state.subCacheMerkleRoots()).toEqual(before);
  });

  test("metadata outside of an aggregate", () => {
    const embedded = chain.aggregate("alice", [chain.embedded("alice", metadata("alice", "hello"))]);
    const outside = withEntity(embedded, { kind: "account_metadata" });
    expect(() => chain.state.execute(blockAfter(chain, { transactions: [outside] }))).toThrow(
      "is only allowed in an aggregate",
    );
    const { height } = chain.state;
    preview(chain.state, blockAfter(chain, { transactions: [embedded] }));
    expect(chain.state.height).toBe(height);
  });
});

test("a bonded aggregate is rejected in a network that does not support them", () => {
  const { aggregate } = new TestChain([]).state.config;
  for (const bondedSupport of [true, false]) {
    const chain = new TestChain(["alice"], {}, { aggregate: { ...aggregate, bondedSupport } });
    expect(() => chain.state.execute(blockAfter(chain, { transactions: [bonded(chain)] }))).toThrow(
      bondedSupport ? "Failure_LockHash_Unknown_Hash" : "is a bonded aggregate, which the network does not support",
    );
  }
});

describe("a block", () => {
  const chain = startedChain();
  const execute = (change: Partial<ExecutableBlock>) => () => preview(chain.state, blockAfter(chain, change));
  const entity = blockAfter(chain).entity!;

  test("has as many transactions as the network allows, embedded ones included", () => {
    const transfers = (count: number) =>
      Array.from({ length: count }, () => chain.transaction("alice", transfer("bob", [[CURRENCY, 1n]])));
    const aggregate = chain.aggregate("alice", [chain.embedded("alice", transfer("bob"))]);
    expect(execute({ transactions: transfers(100) })).not.toThrow();
    expect(execute({ transactions: [...transfers(98), aggregate] })).not.toThrow();
    expect(execute({ transactions: transfers(101) })).toThrow("Failure_Core_Too_Many_Transactions");
    expect(execute({ transactions: [...transfers(99), aggregate] })).toThrow("Failure_Core_Too_Many_Transactions");
  });

  test("is of its network and of version 1", () => {
    expect(execute({})).not.toThrow();
    expect(execute({ entity: { ...entity, network: 104 } })).toThrow("Failure_Core_Wrong_Network");
    expect(execute({ entity: { ...entity, version: 2 } })).toThrow("Failure_Core_Invalid_Version");
    expect(execute({ entity: { ...entity, version: 0 } })).toThrow("Failure_Core_Invalid_Version");
  });
});

test("the nemesis account signs no block after the first one, though it may harvest", () => {
  const chain = new TestChain([]);
  const { address } = account("nemesis");
  const { importances } = chain.account("harvester");
  chain.state.tables.accounts.update(address, { importances });
  chain.state.tables.accounts.credit(address, chain.state.config.harvestingMosaicId, 1_000n);
  const block = blockAfter(chain, {}, "nemesis");
  expect(() => preview(chain.state, block)).toThrow("Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block");
  const { entity: _, ...unsigned } = block;
  expect(() => preview(chain.state, unsigned)).not.toThrow();
});
