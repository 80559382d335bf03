import { describe, expect, test } from "@jest/globals";
import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import { addressValue, globalRestriction, mosaicAlias, rootNamespace } from "../devnet/state-descriptors.js";
import {
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

const RULE = 0x1111n;
const OTHER_RULE = 0x2222n;
const NO_VALUE = 0xffff_ffff_ffff_ffffn;
const MOSAIC = mosaicOf("alice", 4);
const REFERENCE = mosaicOf("alice", 5);
const UNAUTHORIZED = "Failure_RestrictionMosaic_Account_Unauthorized";
const NOT_THERE = "Failure_RestrictionMosaic_Cannot_Delete_Nonexistent_Restriction";
const MISMATCH = "Failure_RestrictionMosaic_Previous_Value_Mismatch";
const NOT_UNSET = "Failure_RestrictionMosaic_Previous_Value_Must_Be_Zero";

/** Sets the value of an account. */
function value(target: string, previousRestrictionValue: bigint, newRestrictionValue: bigint, key = RULE): Descriptor {
  return { ...addressValue(target, key), previousRestrictionValue, newRestrictionValue };
}

/** A chain on which alice has two restrictable mosaics, the first one of which bob has, too. */
function chainWithMosaics(): TestChain {
  const chain = new TestChain(["alice", "bob"]);
  for (const nonce of [4, 5]) {
    chain.send("alice", mosaicDefinition("alice", nonce, { flags: "transferable restrictable supply_mutable" }));
    chain.send("alice", supplyChange(mosaicOf("alice", nonce), 1000n));
  }
  chain.send("alice", transfer("bob", [[MOSAIC, 10n]]));
  return chain;
}

/** The same with a rule that alice fulfils. */
function chainWithRule(): TestChain {
  const chain = chainWithMosaics();
  chain.send("alice", globalRestriction(RULE));
  chain.send("alice", addressValue("alice", RULE));
  return chain;
}

describe("a value of a mosaic restriction", () => {
  const chain = chainWithRule();
  const sent = (change: Record<string, unknown>): ExecutableTransaction =>
    chain.transaction("alice", { ...addressValue("bob", RULE), ...change });

  test("is not for the address of 24 zero bytes, which is in the key of the mosaic's rules", () => {
    expect(chain.rejectionOf(sent({}))).toBeUndefined();
    expect(chain.rejectionOf(sent({ targetAddress: new Uint8Array(24) }))).toBe("Failure_Core_Invalid_Address");
    expect(chain.state.tables.mosaicRestrictions.rules(MOSAIC)!.map(({ key }) => key)).toEqual([RULE]);
  });

  test("may be for any other bytes: a wrong checksum, another network, an alias of nothing", () => {
    for (const first of [0x99, 0x98, 0x68, 0xff]) {
      const targetAddress = Uint8Array.from({ length: 24 }, (_, index) => (index === 0 ? first : 7));
      expect(chain.rejectionOf(sent({ targetAddress }))).toBeUndefined();
    }
  });

  test("names the one that it replaces; the largest number is none", () => {
    const change = (previous: bigint, next: bigint) => chain.codeOf("alice", value("alice", previous, next));
    expect([change(1n, 2n), change(2n, 3n), change(NO_VALUE, 2n), change(1n, NO_VALUE)]).toEqual([
      undefined,
      MISMATCH,
      MISMATCH,
      undefined,
    ]);
    const first = (previous: bigint, next: bigint) => chain.codeOf("alice", value("bob", previous, next));
    expect([first(NO_VALUE, 0n), first(0n, 1n), first(NO_VALUE, NO_VALUE)]).toEqual([undefined, NOT_UNSET, NOT_THERE]);
  });

  test("needs a rule with its key", () => {
    expect(chain.codeOf("alice", addressValue("bob", OTHER_RULE))).toBe(
      "Failure_RestrictionMosaic_Unknown_Global_Restriction",
    );
  });

  test("that is the last one of an account leaves nothing", () => {
    const size = () => chain.state.tables.mosaicRestrictions.table.size;
    const before = size();
    chain.send("alice", value("bob", NO_VALUE, 5n));
    expect(size()).toBe(before + 1);
    chain.send("alice", value("bob", 5n, NO_VALUE));
    expect(size()).toBe(before);
  });
});

describe("the rules of a mosaic", () => {
  test("are two at most, each replaced or removed by naming all of what it was", () => {
    const chain = chainWithMosaics();
    const rule = (key: bigint, change: Record<string, unknown> = {}) =>
      chain.codeOf("alice", globalRestriction(key, change));
    const was = { previousRestrictionValue: 1n, previousRestrictionType: "eq" };
    const removed = { newRestrictionType: "none", newRestrictionValue: 0n };
    expect([rule(RULE, removed), rule(RULE, { previousRestrictionValue: 1n })]).toEqual([NOT_THERE, NOT_UNSET]);
    expect(rule(RULE, { previousRestrictionType: "eq" })).toBe(NOT_UNSET);
    chain.send("alice", globalRestriction(RULE));
    expect([rule(OTHER_RULE), rule(RULE, { ...was, newRestrictionValue: 2n })]).toEqual([undefined, undefined]);
    chain.send("alice", globalRestriction(OTHER_RULE));
    expect(rule(0x3333n)).toBe("Failure_RestrictionMosaic_Max_Restrictions_Exceeded");
    expect(rule(RULE, { ...was, newRestrictionValue: 2n })).toBeUndefined();
    expect([rule(RULE), rule(RULE, { ...was, previousRestrictionValue: 2n })]).toEqual([MISMATCH, MISMATCH]);
    expect(rule(RULE, { ...was, previousRestrictionType: "ne" })).toBe(MISMATCH);
    expect(rule(RULE, { ...was, referenceMosaicId: MOSAIC })).toBe(MISMATCH);
    for (const key of [RULE, OTHER_RULE]) chain.send("alice", globalRestriction(key, { ...was, ...removed }));
    expect(chain.state.tables.mosaicRestrictions.table.size).toBe(0);
    for (const key of [OTHER_RULE, RULE]) chain.send("alice", globalRestriction(key));
    expect(chain.state.tables.mosaicRestrictions.rules(MOSAIC)!.map(({ key }) => key)).toEqual([RULE, OTHER_RULE]);
  });

  test("compare the value of an account without sign; without a value only that of inequality is fulfilled", () => {
    const comparisons = { eq: 1, ne: 2, lt: 3, le: 4, gt: 5, ge: 6 };
    const limit = 2n ** 63n;
    const fulfilled: Record<string, string> = {};
    for (const type of Object.keys(comparisons)) {
      const chain = chainWithMosaics();
      chain.send("alice", globalRestriction(RULE, { newRestrictionType: type, newRestrictionValue: limit }));
      const alice = { eq: limit, ne: limit + 1n, lt: 0n, le: limit, gt: limit + 1n, ge: limit }[type]!;
      chain.send("alice", value("alice", NO_VALUE, alice));
      const seen = [undefined, limit - 1n, limit, limit + 1n].map((next, index, all) => {
        if (next !== undefined) chain.send("alice", value("bob", index === 1 ? NO_VALUE : all[index - 1]!, next));
        const code = chain.codeOf("alice", transfer("bob", [[MOSAIC, 1n]]));
        expect([undefined, UNAUTHORIZED]).toContain(code);
        return code === undefined ? "yes" : "no";
      });
      fulfilled[type] = seen.join(" ");
    }
    expect(fulfilled).toEqual({
      eq: "no no yes no",
      ne: "yes yes no yes",
      lt: "no yes no no",
      le: "no yes yes no",
      gt: "no no no yes",
      ge: "no no yes yes",
    });
  });

  test("concern the sender as well as the recipient, and amounts of 0", () => {
    const chain = chainWithRule();
    expect(chain.codeOf("bob", transfer("alice", [[MOSAIC, 1n]]))).toBe(UNAUTHORIZED);
    expect(chain.codeOf("alice", transfer("bob", [[MOSAIC, 0n]]))).toBe(UNAUTHORIZED);
    chain.send("alice", addressValue("bob", RULE));
    expect(chain.codeOf("bob", transfer("alice", [[MOSAIC, 1n]]))).toBeUndefined();
  });

  test("by another mosaic compare its values; by the mosaic itself no account fulfils them", () => {
    const chain = chainWithMosaics();
    const referring = { referenceMosaicId: REFERENCE };
    expect(chain.codeOf("alice", globalRestriction(RULE, referring))).toBe(
      "Failure_RestrictionMosaic_Unknown_Global_Restriction",
    );
    chain.send("alice", { ...globalRestriction(RULE), mosaicId: REFERENCE });
    chain.send("alice", globalRestriction(RULE, referring));
    for (const name of ["alice", "bob"]) {
      expect(chain.codeOf("alice", transfer("bob", [[MOSAIC, 1n]]))).toBe(UNAUTHORIZED);
      chain.send("alice", { ...addressValue(name, RULE), mosaicId: REFERENCE });
    }
    expect(chain.codeOf("alice", transfer("bob", [[MOSAIC, 1n]]))).toBeUndefined();

    const other = chainWithRule();
    other.send("alice", globalRestriction(OTHER_RULE));
    const was = { previousRestrictionValue: 1n, previousRestrictionType: "eq" };
    const isSelf = { referenceMosaicId: MOSAIC };
    expect(other.codeOf("alice", globalRestriction(0x3333n, isSelf))).toBe(
      "Failure_RestrictionMosaic_Unknown_Global_Restriction",
    );
    // a rule of its own is needed first, and is replaced by one with the same key
    expect(other.codeOf("alice", globalRestriction(RULE, { ...was, ...isSelf }))).toBe(MISMATCH);
    const removed = { newRestrictionType: "none", newRestrictionValue: 0n };
    other.state.tables.mosaicRestrictions.setRule(MOSAIC, RULE, {
      referenceMosaicId: MOSAIC,
      restrictionValue: 1n,
      restrictionType: 1,
    });
    expect(other.codeOf("alice", transfer("bob", [[MOSAIC, 1n]]))).toBe(
      "Failure_RestrictionMosaic_Invalid_Global_Restriction",
    );
    expect(other.codeOf("alice", globalRestriction(RULE, { ...was, ...isSelf, ...removed }))).toBeUndefined();
  });

  test("may name both mosaics by their aliases, and are stored by their ids", () => {
    const chain = chainWithMosaics();
    chain.send("alice", rootNamespace("house", 100n), rootNamespace("garden", 100n));
    chain.send("alice", mosaicAlias("house", MOSAIC, "link"), mosaicAlias("garden", REFERENCE, "link"));
    chain.send("alice", { ...globalRestriction(RULE), mosaicId: REFERENCE });
    const [mosaicId, referenceMosaicId] = ["house", "garden"].map(namespaceIdOf);
    chain.send("alice", globalRestriction(RULE, { mosaicId, referenceMosaicId }));
    expect(chain.state.tables.mosaicRestrictions.rules(MOSAIC)).toMatchObject([
      { key: RULE, restriction: { referenceMosaicId: REFERENCE } },
    ]);
    expect(chain.state.tables.mosaicRestrictions.rules(namespaceIdOf("house"))).toBeUndefined();
  });
});
