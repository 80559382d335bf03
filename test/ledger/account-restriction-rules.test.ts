import { describe, expect, test } from "@jest/globals";
import {
  addressAlias,
  addressRestriction,
  metadata,
  mosaicListing,
  operationRestriction,
  revocation,
  rootNamespace,
} from "../devnet/state-descriptors.js";
import {
  account,
  aliasOf,
  CURRENCY,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";

const BLOCKED = ["address", "block"];
const INVALID = "Failure_RestrictionAccount_Invalid_Modification";

describe("the number of values of an account restriction", () => {
  test("has no sign: more deletions than there are values are too many values", () => {
    const chain = new TestChain(["alice"]);
    const modify = (additions: readonly string[], deletions: readonly string[]) =>
      chain.transaction("alice", addressRestriction(BLOCKED, additions, deletions));
    chain.mine(modify(["bob"], []));
    expect(chain.rejectionOf(modify([], ["bob", "carol"]))).toBe("Failure_RestrictionAccount_Values_Count_Exceeded");
    expect(chain.rejectionOf(modify([], ["carol"]))).toBe(INVALID);
    expect(chain.rejectionOf(modify([], ["bob"]))).toBeUndefined();
  });

  test("is three at most for each list, and so is that of changes at once", () => {
    const chain = new TestChain(["alice"]);
    const modify = (additions: readonly string[], deletions: readonly string[] = []) =>
      chain.codeOf("alice", addressRestriction(BLOCKED, additions, deletions));
    expect(modify(["a", "b", "c"])).toBeUndefined();
    expect(modify(["a", "b", "c", "d"])).toBe("Failure_RestrictionAccount_Modification_Count_Exceeded");
    chain.send("alice", addressRestriction(BLOCKED, ["a", "b", "c"]));
    expect(modify(["d"])).toBe("Failure_RestrictionAccount_Values_Count_Exceeded");
    expect(modify(["d"], ["a"])).toBeUndefined();
    expect(modify(["d", "e"], ["a", "b"])).toBe("Failure_RestrictionAccount_Modification_Count_Exceeded");
    expect(chain.codeOf("alice", addressRestriction(["address", "outgoing", "block"], ["a", "b", "c"]))).toBe(
      undefined,
    );
  });

  test("may be none: a transaction without changes is valid, and has no effect", () => {
    const chain = new TestChain(["alice"]);
    const roots = () => chain.state.subCacheMerkleRoots()[6];
    const before = roots();
    chain.send("alice", addressRestriction(BLOCKED, []));
    expect(roots()).toEqual(before);
    expect(chain.state.tables.accountRestrictions.table.size).toBe(0);
  });
});

describe("the kind of a list", () => {
  test("is that of its first value, until the last one is gone", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", addressRestriction(["address"], ["bob"]));
    const blocked = () => chain.codeOf("alice", addressRestriction(BLOCKED, ["carol"]));
    expect([blocked(), chain.codeOf("alice", addressRestriction(BLOCKED, [], ["bob"]))]).toEqual([INVALID, INVALID]);
    chain.send("alice", addressRestriction(["address"], [], ["bob"]));
    expect(chain.state.tables.accountRestrictions.table.size).toBe(0);
    expect(blocked()).toBeUndefined();
    // also while another list of the account has values
    chain.send("alice", addressRestriction(["address"], ["bob"]), mosaicListing(["mosaic_id"], [CURRENCY]));
    chain.send("alice", addressRestriction(["address"], [], ["bob"]));
    expect(blocked()).toBeUndefined();
  });

  test("is one of four: incoming and outgoing addresses, mosaics, outgoing types", () => {
    const chain = new TestChain(["alice"]);
    const flags = (...names: readonly string[]) =>
      [names, [...names, "block"]].map((all) => {
        if (names.includes("mosaic_id")) return chain.codeOf("alice", mosaicListing(all, [CURRENCY]));
        if (!names.includes("transaction_type")) return chain.codeOf("alice", addressRestriction(all, ["bob"]));
        const own = all.includes("block") ? "transfer" : "account_operation_restriction";
        return chain.codeOf("alice", operationRestriction(all, [own]));
      });
    const none = [undefined, undefined];
    const invalid = "Failure_RestrictionAccount_Invalid_Restriction_Flags";
    expect([flags("address"), flags("address", "outgoing")]).toEqual([none, none]);
    expect([flags("mosaic_id"), flags("mosaic_id", "outgoing")]).toEqual([none, [invalid, invalid]]);
    expect([flags("transaction_type", "outgoing"), flags("transaction_type")]).toEqual([none, [invalid, invalid]]);
    expect(flags("address", "mosaic_id")).toEqual([invalid, invalid]);
  });
});

test("a value is compared as its alias resolves, twice the same one as it is written", () => {
  const chain = new TestChain(["alice", "bob"]);
  chain.send("bob", rootNamespace("house", 100n));
  chain.send("bob", addressAlias("house", "bob", "link"));
  const alias = Uint8Array.from(aliasOf("house"));
  const bob = Uint8Array.from(account("bob").address);
  const list = (signer: string, ...restrictionAdditions: readonly Uint8Array[]) =>
    chain.codeOf(signer, { ...addressRestriction(BLOCKED, []), restrictionAdditions });
  expect(list("alice", bob, bob)).toBe("Failure_RestrictionAccount_Redundant_Modification");
  expect(list("alice", bob, alias)).toBe(INVALID);
  expect(list("alice", alias)).toBeUndefined();
  expect(list("bob", alias)).toBe("Failure_RestrictionAccount_Invalid_Modification_Address");
  chain.send("alice", addressRestriction(BLOCKED, ["bob"]));
  expect(list("alice", alias)).toBe(INVALID);
});

describe("a list of transaction types", () => {
  const flags = ["transaction_type", "outgoing"];
  const own = "account_operation_restriction";
  const change = (
    names: readonly string[],
    additions: readonly string[],
    deletions: readonly string[] = [],
  ): Descriptor => ({
    ...operationRestriction(names, additions),
    restrictionDeletions: deletions,
  });

  test("that allows always has the type that changes it, first of all and to the end", () => {
    const chain = new TestChain(["alice"]);
    const code = (additions: readonly string[], deletions?: readonly string[]) =>
      chain.codeOf("alice", change(flags, additions, deletions));
    expect([code(["transfer"]), code([own]), code([own, "transfer"])]).toEqual([INVALID, undefined, undefined]);
    chain.send("alice", change(flags, [own, "transfer"]));
    expect([code([], ["transfer"]), code([], [own]), code(["hash_lock"])]).toEqual([undefined, INVALID, undefined]);
    expect(chain.codeOf("alice", mosaicDefinition("alice", 1))).toBe(
      "Failure_RestrictionAccount_Operation_Type_Prohibited",
    );
    expect(chain.codeOf("alice", transfer("bob"))).toBeUndefined();
  });

  test("that blocks never has it, and concerns the types of whole transactions, not of embedded ones", () => {
    const chain = new TestChain(["alice"]);
    const blocking = [...flags, "block"];
    expect(chain.codeOf("alice", change(blocking, [own]))).toBe(INVALID);
    chain.send("alice", change(blocking, ["transfer"]));
    expect(chain.codeOf("alice", transfer("bob"))).toBe("Failure_RestrictionAccount_Operation_Type_Prohibited");
    const within = chain.aggregate("alice", [chain.embedded("alice", transfer("bob"))]);
    expect(chain.rejectionOf(within)).toBeUndefined();
  });
});

describe("a list of addresses", () => {
  const prohibited = "Failure_RestrictionAccount_Address_Interaction_Prohibited";

  test("concerns both sides: whom an account sends to, and from whom it receives, but never itself", () => {
    const chain = new TestChain(["alice", "bob", "carol"]);
    chain.send("alice", addressRestriction(["address"], ["bob"]));
    const seen = () => ["alice", "bob", "carol"].map((signer) => chain.codeOf(signer, transfer("alice")));
    expect(seen()).toEqual([undefined, undefined, prohibited]);
    chain.send("alice", addressRestriction(["address"], [], ["bob"]));
    expect(seen()).toEqual([undefined, undefined, undefined]);
    chain.send("alice", addressRestriction(["address", "outgoing"], ["bob"]));
    const sent = ["alice", "bob", "carol"].map((name) => chain.codeOf("alice", transfer(name)));
    expect(sent).toEqual([undefined, undefined, prohibited]);
    expect(chain.codeOf("carol", transfer("alice"))).toBeUndefined();
  });

  test("does not concern revocations and metadata", () => {
    const chain = new TestChain(["alice", "bob"]);
    const id = mosaicOf("alice", 1);
    chain.send("alice", mosaicDefinition("alice", 1, { flags: "transferable revokable" }));
    chain.send("alice", supplyChange(id, 5n));
    chain.send("alice", transfer("bob", [[id, 2n]]));
    chain.send("bob", addressRestriction(BLOCKED, ["alice"]));
    expect(chain.codeOf("alice", transfer("bob"))).toBe(prohibited);
    expect(chain.codeOf("alice", revocation(id))).toBeUndefined();
    const described = chain.aggregate("alice", [chain.embedded("alice", metadata("bob", "hello"))], ["bob"]);
    expect(chain.rejectionOf(described)).toBeUndefined();
  });
});

test("a list of mosaics concerns what an account receives, also as 0 units and as a rental fee, not what it sends", () => {
  const chain = new TestChain(["alice", "bob"]);
  const id = mosaicOf("alice", 1);
  chain.send("alice", mosaicDefinition("alice", 1));
  chain.send("alice", supplyChange(id, 5n));
  chain.send("alice", transfer("bob", [[id, 2n]]));
  chain.send("bob", mosaicListing(["mosaic_id", "block"], [id]));
  const prohibited = "Failure_RestrictionAccount_Mosaic_Transfer_Prohibited";
  expect(chain.codeOf("alice", transfer("bob", [[id, 0n]]))).toBe(prohibited);
  expect(chain.codeOf("alice", transfer("bob", [[CURRENCY, 1n]]))).toBeUndefined();
  expect(chain.codeOf("bob", transfer("alice", [[id, 1n]]))).toBeUndefined();
  chain.send("sink", mosaicListing(["mosaic_id", "block"], [CURRENCY]));
  expect(chain.codeOf("alice", mosaicDefinition("alice", 2))).toBe(prohibited);
});
