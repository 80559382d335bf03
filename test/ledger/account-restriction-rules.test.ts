import { describe, expect, test } from "@jest/globals";
import { addressRestriction } from "../devnet/state-descriptors.js";
import { TestChain } from "../devnet/state-test-chain.js";

const BLOCKED = ["address", "block"];

describe("the number of values of an account restriction", () => {
  test("has no sign: more deletions than there are values are too many values", () => {
    const chain = new TestChain(["alice"]);
    const modify = (additions: readonly string[], deletions: readonly string[]) =>
      chain.transaction("alice", addressRestriction(BLOCKED, additions, deletions));
    chain.mine(modify(["bob"], []));
    expect(chain.rejectionOf(modify([], ["bob", "carol"]))).toBe("Failure_RestrictionAccount_Values_Count_Exceeded");
    expect(chain.rejectionOf(modify([], ["carol"]))).toBe("Failure_RestrictionAccount_Invalid_Modification");
    expect(chain.rejectionOf(modify([], ["bob"]))).toBeUndefined();
  });
});
