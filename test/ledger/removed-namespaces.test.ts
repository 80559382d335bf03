import { describe, expect, test } from "@jest/globals";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import type { ExecutableBlock } from "../../ledger/rules/notifications.js";
import { addressAlias, rootNamespace } from "../devnet/state-descriptors.js";
import { aliasOf, CURRENCY, type Descriptor, TestChain, transfer } from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

const ALIAS = aliasOf("house");
const RESTRICTION: Descriptor = {
  type: "account_address_restriction_transaction_v1",
  restrictionFlags: "address",
  restrictionAdditions: [Uint8Array.from(ALIAS)],
  restrictionDeletions: [],
};

/** A chain whose namespace `house`, an alias of bob, has ended with its grace period. */
function chainAfterEnd(): TestChain {
  const chain = new TestChain(["alice", "bob"]);
  const send = (descriptor: Descriptor) => chain.send("alice", descriptor);
  send(rootNamespace("house", 12n));
  send(addressAlias("house", "bob", "link"));
  while (!isEnded(chain)) chain.skip(1);
  return chain;
}

function isEnded({ state }: TestChain): boolean {
  return state.tables.namespaces.rootOf(namespaceIdOf("house"))!.endHeight <= BigInt(state.height);
}

function nextBlock(chain: TestChain, descriptor: Descriptor): ExecutableBlock {
  return chain.nextBlock(undefined, { transactions: [chain.transaction("alice", descriptor)] });
}

/** The result of a block by a node that has removed the namespace. */
function withoutNamespace(chain: TestChain, block: ExecutableBlock): ExecutedBlock {
  chain.state.tables.namespaces.deleteEnded(BigInt(chain.state.height));
  const result = chain.state.execute(block);
  chain.state.rollbackTo(block.height - 1);
  return result;
}

describe("the alias of a namespace that ended", () => {
  test("has its target in a block whose creator had not removed the namespace, though its end is final here", () => {
    const chain = chainAfterEnd();
    const block = nextBlock(chain, transfer(ALIAS, [[CURRENCY, 1n]]));
    chain.state.finalize(chain.state.height, chain.now);
    const { stateHash, statement } = chain.state.execute(block);
    chain.state.rollbackTo(block.height - 1);
    const fits = (result: ExecutedBlock) => result.stateHash.equals(stateHash);
    expect(chain.state.execute(block, fits).statement).toEqual(statement);
  });

  test("has none in a block whose creator had, though its end is not final here", () => {
    const block = nextBlock(chainAfterEnd(), RESTRICTION);
    const expected = withoutNamespace(chainAfterEnd(), block);
    const chain = chainAfterEnd();
    const resolved = chain.state.execute(block);
    expect(resolved.stateHash).not.toEqual(expected.stateHash);
    chain.state.rollbackTo(block.height - 1);

    const fits = (result: ExecutedBlock) => result.stateHash.equals(expected.stateHash);
    const { changes, statement } = chain.state.execute(block, fits);
    expect(statement).toEqual(expected.statement);
    expect(changes.filter(({ kind }) => kind === "namespace").map(({ after }) => after)).toEqual([undefined]);
    expect(chain.state.tables.namespaces.rootOf(namespaceIdOf("house"))).toBeUndefined();

    chain.state.rollbackTo(block.height - 1);
    expect(chain.state.tables.namespaces.rootOf(namespaceIdOf("house"))).toBeDefined();
    expect(chain.state.execute(block).stateHash).toEqual(resolved.stateHash);
  });

  test("does not change the result about a block that fits neither way", () => {
    const chain = chainAfterEnd();
    const block = nextBlock(chain, RESTRICTION);
    const { stateHash } = chain.state.execute(block);
    chain.state.rollbackTo(block.height - 1);
    expect(chain.state.execute(block, () => false).stateHash).toEqual(stateHash);
    expect(chain.state.tables.namespaces.rootOf(namespaceIdOf("house"))).toBeDefined();
  });

  test("has none for transactions that are tried, once its end is final", () => {
    const chain = chainAfterEnd();
    const rejection = () => chain.rejectionOf(chain.transaction("alice", transfer(ALIAS)));
    expect(rejection()).toBeUndefined();
    chain.state.finalize(chain.state.height, chain.now);
    expect(rejection()).toBe("Failure_Core_Invalid_Address");
  });
});

test("a removed namespace is kept for some blocks, also over a restart, and deleted then", async () => {
  const chain = chainAfterEnd();
  const { state } = chain;
  const key = Buffer.alloc(8);
  key.writeBigUInt64LE(namespaceIdOf("house"));
  const keptFor = 3;
  const ended = state.height;
  const [removed] = state.endedBy(ended, keptFor).filter(({ kind }) => kind === "namespace");
  expect(removed).toEqual({ kind: "namespace", key, after: expect.objectContaining({ history: Buffer.of(1) }) });
  state.finalize(ended, chain.now, keptFor);

  const entries = async function* () {
    yield { kind: "namespace" as const, entry: removed!.after! };
  };
  const basis = { height: ended, finalizedHeight: ended, feeMultipliers: [0], confirmed: [] };
  const restarted = await ChainState.load(state.config, basis, entries());
  expect(restarted.tables.namespaces.rootOf(namespaceIdOf("house"))).toEqual(
    state.tables.namespaces.rootOf(namespaceIdOf("house")),
  );

  chain.skip(keptFor);
  expect(state.endedBy(ended + keptFor, keptFor)).toEqual([{ kind: "namespace", key, after: undefined }]);
  state.finalize(ended + keptFor, chain.now, keptFor);
  expect(state.tables.namespaces.rootOf(namespaceIdOf("house"))).toBeUndefined();
});

test("a namespace that a roll-back brings back is removed if its end is final by then", () => {
  const chain = chainAfterEnd();
  const { height } = chain.state;
  chain.send("bob", rootNamespace("house"));
  chain.state.finalize(height, chain.now);
  expect(chain.state.tables.namespaces.rootOf(namespaceIdOf("house"))!.isRemoved).toBe(false);
  chain.state.rollbackTo(height);
  expect(chain.state.tables.namespaces.rootOf(namespaceIdOf("house"))!.isRemoved).toBe(true);
});
