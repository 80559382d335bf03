import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { parseNetworkConfig } from "../../ledger/config/network-config.js";
import { stateValue } from "../support/state-value.js";
import { account, CURRENCY, FUNDS, TestChain, transfer } from "./state-test-chain.js";

const DEPOSIT = 10_000_000n;

function receiptsOf(statement: Buffer): readonly number[] {
  return decodeStatement(statement).transactionStatements.flatMap(({ receipts }) => receipts.map(({ type }) => type));
}

describe("a draft", () => {
  test("sees its own additions, and the chain does not", () => {
    const chain = new TestChain(["alice"]);
    const roots = chain.state.subCacheMerkleRoots();
    const value = stateValue(chain.state.tables, "account", account("alice").address);
    const draft = chain.state.startDryRun();
    const first = chain.transaction("alice", transfer("bob", [[CURRENCY, FUNDS]]));
    const second = chain.transaction("bob", transfer("carol", [[CURRENCY, FUNDS]]));
    expect(draft.add(second, chain.now)).toBe("Failure_Core_Insufficient_Balance");
    expect(draft.add(first, chain.now)).toBeUndefined();
    expect(draft.add(second, chain.now)).toBeUndefined();
    expect(draft.add(second, chain.now)).toBe("Failure_Hash_Already_Exists");

    expect(chain.state.subCacheMerkleRoots()).toEqual(roots);
    expect(stateValue(chain.state.tables, "account", account("alice").address)).toEqual(value);
    expect(chain.state.isConfirmed(first.hash)).toBe(false);
    expect(chain.state.startDryRun().add(second, chain.now)).toBe("Failure_Core_Insufficient_Balance");
  });

  test("is unchanged after a transaction is rejected half-way", () => {
    const chain = new TestChain(["alice"]);
    const draft = chain.state.startDryRun();
    const parts = [FUNDS, 1n].map((amount) => chain.embedded("alice", transfer("bob", [[CURRENCY, amount]])));
    expect(draft.add(chain.aggregate("alice", parts), chain.now)).toBe("Failure_Core_Insufficient_Balance");
    const whole = chain.transaction("alice", transfer("bob", [[CURRENCY, FUNDS]]));
    expect(draft.add(whole, chain.now)).toBeUndefined();
  });
});

describe("a block", () => {
  test("with an invalid transaction changes nothing", () => {
    const chain = new TestChain(["alice"]);
    const { height } = chain.state;
    const roots = chain.state.subCacheMerkleRoots();
    const good = chain.transaction("alice", transfer("bob", [[CURRENCY, 1n]]));
    const bad = chain.transaction("alice", transfer("bob", [[CURRENCY, FUNDS]]));
    expect(() => chain.mine(good, bad)).toThrow(
      /^transaction 1 \([0-9A-F]{64}\) of block 2: Failure_Core_Insufficient_Balance$/,
    );
    expect(chain.state.height).toBe(height);
    expect(chain.state.subCacheMerkleRoots()).toEqual(roots);
    expect(chain.balance("bob")).toBe(0n);
    chain.mine(good);
    expect(chain.balance("bob")).toBe(1n);
  });

  test("must follow the last one", () => {
    const chain = new TestChain([]);
    expect(() => chain.state.execute({ ...chain.nextBlock(), height: 5 })).toThrow("block 5 does not follow block 1");
  });
});

describe("the fee of a transaction", () => {
  /** A block in which `poor`, who owns nothing, is paid by an aggregate of its own, whose fee it pays. */
  function blockPaidFromItself(chain: TestChain) {
    const parts = [
      chain.embedded("alice", transfer("poor", [[CURRENCY, FUNDS]])),
      chain.embedded("poor", transfer("bob")),
    ];
    const transactions = [chain.aggregate("poor", parts, ["alice"], { fee: FUNDS })];
    return chain.nextBlock(undefined, { feeMultiplier: 1, transactions });
  }

  test("is paid last, so that the transaction itself may bring it", () => {
    const chain = new TestChain(["alice"]);
    chain.state.execute(blockPaidFromItself(chain));
    expect(chain.balance("poor")).toBeLessThan(FUNDS);
    expect(chain.balance("poor")).toBeGreaterThan(0n);
  });

  test("is paid first in blocks below the height of totalVotingBalanceCalculationFix, but not before they are in one", () => {
    const chain = new TestChain(["alice"], { totalVotingBalanceCalculationFix: 3 });
    const block = blockPaidFromItself(chain);
    expect(() => chain.state.execute(block)).toThrow("Failure_Core_Insufficient_Balance");
    expect(chain.rejectionOf(block.transactions[0]!)).toBeUndefined();
    chain.skip(1);
    chain.state.execute(blockPaidFromItself(chain));
    expect(chain.state.height).toBe(3);
  });
});

test("the nemesis account signs the transactions listed for the block of the treasury reissuance, and nothing else after the first block", () => {
  const treasuryReissuance = 3;
  const listed = "01".repeat(64);
  const changes = { treasuryReissuanceSignatures: new Set([listed]) };
  const chain = new TestChain([], { treasuryReissuance }, changes);
  const signedAs = (signature: string) =>
    chain.transaction("nemesis", transfer("bob"), (entity) => {
      entity.signature = new models.Signature(Uint8Array.from(Buffer.from(signature, "hex")));
    });
  const outcomes = () => [listed, "02".repeat(64)].map((signature) => chain.rejectionOf(signedAs(signature)));
  const prohibited = "Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block";
  const seen = [];
  for (; chain.state.height < 4; chain.skip(1)) seen.push([chain.state.height + 1, ...outcomes()]);
  expect(seen).toEqual([
    [2, prohibited, prohibited],
    [3, undefined, prohibited],
    [4, prohibited, prohibited],
  ]);
});

describe("a bonded aggregate", () => {
  function bondedFor(chain: TestChain) {
    const parts = [chain.embedded("alice", transfer("bob")), chain.embedded("bob", transfer("alice"))];
    const type = { type: "aggregate_bonded_transaction_v2" };
    const deadline = BigInt(chain.now + 3_600_000);
    const bare = chain.aggregate("alice", parts, [], { ...type, deadline });
    const complete = chain.aggregate("alice", parts, ["bob"], { ...type, deadline });
    expect(complete.hash).toEqual(bare.hash);
    return { bare, complete };
  }

  function depositFor(chain: TestChain, hash: Buffer, duration: bigint) {
    const mosaic = { mosaicId: CURRENCY, amount: DEPOSIT };
    return chain.transaction("alice", {
      type: "hash_lock_transaction_v1",
      mosaic,
      duration,
      hash: Uint8Array.from(hash),
    });
  }

  test("is pending until its cosignatures arrive once there is a deposit, which is returned when it is complete", () => {
    const chain = new TestChain(["alice", "bob"]);
    const { bare, complete } = bondedFor(chain);
    expect(chain.state.checkPartial(bare, chain.now)).toBe("Failure_LockHash_Unknown_Hash");
    expect(receiptsOf(chain.mine(depositFor(chain, bare.hash, 10n)).statement)).toContain(
      RECEIPT_TYPE.hash_lock_created,
    );
    expect(chain.balance("alice")).toBe(FUNDS - DEPOSIT);
    expect(chain.state.checkPartial(bare, chain.now)).toBeUndefined();

    const keys = (...names: readonly string[]) => names.map((name) => account(name).publicKey);
    expect(chain.state.checkCosignatories(bare, [])).toBe("Failure_Aggregate_Missing_Cosignatures");
    expect(chain.state.checkCosignatories(bare, keys("carol"))).toBe("Failure_Aggregate_Ineligible_Cosignatories");
    expect(chain.state.checkCosignatories(bare, keys("bob"))).toBeUndefined();

    expect(chain.rejectionOf(bare)).toBe("Failure_Aggregate_Missing_Cosignatures");
    expect(receiptsOf(chain.mine(complete).statement)).toContain(RECEIPT_TYPE.hash_lock_completed);
    expect(chain.balance("alice")).toBe(FUNDS);
  });

  test("that is not completed in time leaves its deposit to the harvester", () => {
    const chain = new TestChain(["alice", "bob"]);
    const { bare, complete } = bondedFor(chain);
    chain.mine(depositFor(chain, bare.hash, 3n));
    chain.skip(2);
    const before = chain.balance("harvester");
    expect(receiptsOf(chain.mine().statement)).toContain(RECEIPT_TYPE.hash_lock_expired);
    expect(chain.balance("harvester") - before).toBe(95n + DEPOSIT);
    expect(chain.rejectionOf(complete)).toBe("Failure_LockHash_Inactive_Hash");
    expect(stateValue(chain.state.tables, "hashLock", bare.hash)).toBeDefined();
    expect(chain.state.tables.statePath("hashLock", bare.hash)).toHaveLength(0);

    chain.state.finalize(chain.state.height, chain.now);
    expect(stateValue(chain.state.tables, "hashLock", bare.hash)).toBeUndefined();
    expect(chain.rejectionOf(complete)).toBe("Failure_LockHash_Unknown_Hash");
  });
});

describe("the rules of a network", () => {
  test("are rejected with the name of the missing or malformed property", () => {
    expect(() => parseNetworkConfig("", "")).toThrow("section [network] is missing");
    expect(() => parseNetworkConfig("nonsense", "")).toThrow("neither a section nor a property: nonsense");
    const bytes = "00".repeat(32);
    const network = `identifier = testnet\nnemesisSignerPublicKey = ${bytes}\ngenerationHashSeed = ${bytes}`;
    const mosaics = "currencyMosaicId = 0x1\nharvestingMosaicId = 0x1";
    const text = (lines: string) => `[network]\n${network}\n[chain]\n${mosaics}\n${lines}\n[fork_heights]`;
    const plugins = ["aggregate", "lockhash", "locksecret", "mosaic", "multisig", "namespace"];
    const sections = plugins.map((name) => `[plugin:catapult.plugins.${name}]`).join("\n");
    expect(() => parseNetworkConfig(`${text("")}\n${sections}`, "")).toThrow(
      "[chain] blockGenerationTargetTime is missing",
    );
    expect(() => parseNetworkConfig(`${text("blockGenerationTargetTime = 5 s")}\n${sections}`, "")).toThrow(
      "[chain] blockGenerationTargetTime: expected a time span such as 500ms, 15s, 10m, 6h or 30d, not 5 s",
    );
  });

  test("state keys of a wrong size are rejected", () => {
    const { tables } = new TestChain([]).state;
    expect(() => tables.statePath("mosaic", Buffer.alloc(24))).toThrow("a key of mosaic has 8 bytes, not 24");
  });
});
