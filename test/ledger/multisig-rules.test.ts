import { describe, expect, test } from "@jest/globals";
import { addressAlias, modify, multisigChange, rootNamespace } from "../devnet/state-descriptors.js";
import { account, aliasOf, TestChain, transfer } from "../devnet/state-test-chain.js";

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** A chain with multisig accounts, each with its cosignatories, of which all have to sign; the lowest one first. */
function chainWith(
  ...trees: readonly (readonly [multisig: string, cosignatories: readonly string[], signers: readonly string[]])[]
) {
  const chain = new TestChain(NAMES);
  for (const [multisig, cosignatories, signers] of trees) {
    const { length } = cosignatories;
    chain.mine(modify(chain, multisig, cosignatories, [], length, length, [multisig, ...signers]));
  }
  return chain;
}

function entryOf(chain: TestChain, name: string) {
  return chain.state.tables.multisigs.get(account(name).address);
}

describe("a tree of multisig accounts", () => {
  test("has three levels of cosignatories at most, counted above and below the new link", () => {
    const below = chainWith(["b", ["c"], ["c"]], ["c", ["d"], ["d"]]);
    expect(below.rejectionOf(modify(below, "a", ["b"], [], 1, 1, ["a", "d"]))).toBeUndefined();
    below.mine(modify(below, "a", ["b"], [], 1, 1, ["a", "d"]));
    expect(below.rejectionOf(modify(below, "d", ["e"], [], 1, 1, ["d", "e"]))).toBe(
      "Failure_Multisig_Max_Multisig_Depth",
    );
    expect(below.rejectionOf(modify(below, "f", ["a"], [], 1, 1, ["f", "d"]))).toBe(
      "Failure_Multisig_Max_Multisig_Depth",
    );
    expect(below.rejectionOf(modify(below, "b", ["e"], [], 0, 0, ["d", "e"]))).toBeUndefined();
  });

  test("has no loop, of any length", () => {
    const chain = chainWith(["a", ["b"], ["b"]]);
    expect(chain.rejectionOf(modify(chain, "c", ["c"], [], 1, 1))).toBe("Failure_Multisig_Loop");
    expect(chain.rejectionOf(modify(chain, "b", ["a"], [], 1, 1, ["b"]))).toBe("Failure_Multisig_Loop");
  });

  test("is satisfied level by level: the approvals of each account count by themselves", () => {
    const chain = chainWith(["a", ["b", "c"], ["b", "c"]], ["b", ["d", "e"], ["d", "e"]]);
    const from = (signer: string, ...cosigners: readonly string[]) =>
      chain.rejectionOf(chain.aggregate(signer, [chain.embedded("a", transfer("f"))], cosigners));
    expect(from("c", "d")).toBe("Failure_Aggregate_Missing_Cosignatures");
    expect(from("c", "d", "e")).toBe(undefined);
    // a multisig account itself is not eligible
    expect(from("c", "b")).toBe("Failure_Aggregate_Ineligible_Cosignatories");
  });
});

describe("links of multisig accounts", () => {
  test("are two at most, up and down", () => {
    const chain = chainWith(["a", ["c", "d"], ["c", "d"]], ["b", ["c"], ["c"]]);
    expect(chain.rejectionOf(modify(chain, "e", ["c"], [], 1, 1, ["e", "c"]))).toBe(
      "Failure_Multisig_Max_Cosigned_Accounts",
    );
    expect(chain.rejectionOf(modify(chain, "e", ["d"], [], 1, 1, ["e", "d"]))).toBeUndefined();
    const third = modify(chain, "a", ["e"], [], 0, 0, ["c", "d", "e"]);
    expect(chain.rejectionOf(third)).toBe("Failure_Multisig_Max_Cosignatories");
    expect(chain.rejectionOf(modify(chain, "a", ["e"], ["d"], 0, 0, ["c", "d", "e"]))).toBeUndefined();
  });

  test("that are removed leave nothing: the last cosignatory makes the account an ordinary one", () => {
    const chain = chainWith(["a", ["b"], ["b"]]);
    const last = (delta: number) => modify(chain, "a", [], ["b"], delta, delta, ["b"]);
    expect(chain.rejectionOf(last(0))).toBe("Failure_Multisig_Min_Setting_Out_Of_Range");
    chain.mine(last(-1));
    expect([entryOf(chain, "a"), entryOf(chain, "b")]).toEqual([undefined, undefined]);
    expect(chain.rejectionOf(chain.transaction("a", transfer("f")))).toBeUndefined();
  });

  test("may be named by an alias of the cosignatory", () => {
    const chain = chainWith(["a", ["b", "c"], ["b", "c"]]);
    chain.send("d", rootNamespace("house", 100n), addressAlias("house", "c", "link"));
    const alias = aliasOf("house");
    const change = (additions: readonly Buffer[], deletions: readonly Buffer[], delta: number) => {
      const modification = chain.embedded("a", {
        ...multisigChange([], [], delta, delta),
        addressAdditions: additions.map((address) => Uint8Array.from(address)),
        addressDeletions: deletions.map((address) => Uint8Array.from(address)),
      });
      return chain.aggregate("b", [modification], ["c"]);
    };
    expect(chain.rejectionOf(change([alias], [account("b").address], 0))).toBe(
      "Failure_Multisig_Already_A_Cosignatory",
    );
    chain.mine(change([], [alias], -1));
    expect(entryOf(chain, "a")).toMatchObject({ cosignatoryAddresses: [account("b").address] });
    expect(entryOf(chain, "c")).toBeUndefined();
  });

  test("of an account that signs for another one cannot be removed to the last", () => {
    const chain = chainWith(["b", ["c"], ["c"]], ["a", ["b"], ["c"]]);
    const last = modify(chain, "b", [], ["c"], -1, -1, ["c"]);
    expect(chain.rejectionOf(last)).toBe("Failure_Multisig_Min_Setting_Out_Of_Range");
    expect(entryOf(chain, "b")).toMatchObject({ minApproval: 1, cosignatoryAddresses: [account("c").address] });
  });
});

test("the signatures that a change of a multisig account needs are those for approval to add, those for removal to remove, the larger number for both", () => {
  const { aggregate } = new TestChain([]).state.config;
  const multisig = { maxDepth: 3, maxCosignatoriesPerAccount: 4, maxCosignedAccountsPerAccount: 2 };
  const chain = new TestChain(NAMES, {}, { multisig, aggregate: { ...aggregate, maxCosignatures: 4 } });
  chain.mine(modify(chain, "a", ["b", "c", "d"], [], 1, 2, ["a", "b", "c", "d"]));
  const missing = "Failure_Aggregate_Missing_Cosignatures";
  expect(chain.rejectionOf(modify(chain, "a", ["e"], [], 0, 0, ["b", "e"]))).toBeUndefined();
  expect(chain.rejectionOf(modify(chain, "a", [], ["d"], 0, 0, ["b"]))).toBe(missing);
  expect(chain.rejectionOf(modify(chain, "a", [], ["d"], 0, 0, ["b", "c"]))).toBeUndefined();
  expect(chain.rejectionOf(modify(chain, "a", ["e"], ["d"], 0, 0, ["b", "e"]))).toBe(missing);
  expect(chain.rejectionOf(modify(chain, "a", ["e"], ["d"], 0, 0, ["b", "c", "e"]))).toBeUndefined();
  expect(chain.rejectionOf(modify(chain, "a", [], [], 0, 0, ["b"]))).toBeUndefined();
});

describe("settings", () => {
  test("of -1 each by an account that is no multisig account change nothing", () => {
    const chain = new TestChain(NAMES);
    expect(chain.rejectionOf(modify(chain, "a", [], [], -1, 0))).toBe("Failure_Multisig_Min_Setting_Out_Of_Range");
    chain.mine(modify(chain, "a", [], [], -1, -1));
    expect(entryOf(chain, "a")).toBeUndefined();
  });

  test("are from one to the number of cosignatories", () => {
    const chain = chainWith(["a", ["b", "c"], ["b", "c"]]);
    const change = (approval: number, removal: number) =>
      chain.rejectionOf(modify(chain, "a", [], [], approval, removal, ["b", "c"]));
    expect([change(-1, -1), change(-2, 0), change(0, -2), change(1, 0), change(0, 1)]).toEqual([
      undefined,
      "Failure_Multisig_Min_Setting_Out_Of_Range",
      "Failure_Multisig_Min_Setting_Out_Of_Range",
      "Failure_Multisig_Min_Setting_Larger_Than_Num_Cosignatories",
      "Failure_Multisig_Min_Setting_Larger_Than_Num_Cosignatories",
    ]);
  });
});
