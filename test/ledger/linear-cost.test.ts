import { describe, expect, test } from "@jest/globals";
import { AccountRestrictionEntries } from "../../ledger/tables/account-restrictions.js";
import { addressAlias, addressValue, globalRestriction, rootNamespace } from "../devnet/state-descriptors.js";
import {
  account,
  aliasOf,
  type Descriptor,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  transfer,
} from "../devnet/state-test-chain.js";
import { chainWithMainLimits, inAggregates, MAIN_LIMITS, prepare, someAddress, times } from "../support/main-limits.js";
import { sparseStateOf } from "./sparse-state-of.js";

const MAX = MAIN_LIMITS.restrictionValues;

/** Additions of addresses to a list of those that an account blocks, as many as it may have. */
function additions(first: number): Descriptor {
  return {
    type: "account_address_restriction_transaction_v1",
    restrictionFlags: "address block",
    restrictionAdditions: times(MAX, (index) => Uint8Array.from(someAddress(first + index))),
    restrictionDeletions: [],
  };
}

describe("a list of restrictions", () => {
  test("is filled without comparing each value with all others", () => {
    const chain = chainWithMainLimits();
    const transactions = inAggregates(chain, "alice", [additions(0)]);
    const { equals } = Buffer.prototype;
    let comparisons = 0;
    Buffer.prototype.equals = function (other: Uint8Array) {
      comparisons += 1;
      return equals.call(this, other);
    };
    try {
      chain.mine(...transactions);
    } finally {
      Buffer.prototype.equals = equals;
    }
    expect(comparisons).toBeLessThan(10 * MAX);
    expect(chain.state.tables.accountRestrictions.get(account("alice").address, 0x8001)?.values).toHaveLength(MAX);
  });

  test("does not grow beyond the network's limit while the state of a dry run is unknown", async () => {
    const chain = chainWithMainLimits();
    const [aggregate] = inAggregates(
      chain,
      "alice",
      times(20, (index) => additions(MAX * index)),
    );
    const { modify } = AccountRestrictionEntries.prototype;
    let changes = 0;
    let rounds = 0;
    let longest = 0;
    AccountRestrictionEntries.prototype.modify = function (address, flags, value, isAddition) {
      modify.call(this, address, flags, value, isAddition);
      changes += 1;
      longest = Math.max(longest, this.get(address, flags)?.values.length ?? 0);
    };
    try {
      const failure = await sparseStateOf(chain.state, []).run((startDryRun) => {
        rounds += 1;
        return startDryRun().add(aggregate!, chain.now);
      });
      expect(failure).toBe("Failure_RestrictionAccount_Values_Count_Exceeded");
    } finally {
      AccountRestrictionEntries.prototype.modify = modify;
    }
    expect(longest).toBe(MAX);
    expect(changes).toBeLessThanOrEqual(rounds * MAX);
  });
});

test("what a dry run looks up behind aliases that it links itself is found at once, not one after the other", async () => {
  const chain = chainWithMainLimits();
  const names = times(20, (index) => `name${index}`);
  const mosaicId = mosaicOf("alice", 4);
  prepare(chain, "alice", [
    mosaicDefinition("alice", 4, { flags: "transferable restrictable" }),
    supplyChange(mosaicId, 1_000n),
    globalRestriction(1n),
    addressValue("alice", 1n),
    ...names.flatMap((name) => [rootNamespace(name), transfer(name), addressValue(name, 1n)]),
  ]);
  const [aggregate] = inAggregates(
    chain,
    "alice",
    names.flatMap((name) => [addressAlias(name, name, "link"), transfer(aliasOf(name), [[mosaicId, 1n]])]),
  );
  let rounds = 0;
  const failure = await sparseStateOf(chain.state, []).run((startDryRun) => {
    rounds += 1;
    return startDryRun().add(aggregate!, chain.now);
  });
  expect(failure).toBeUndefined();
  expect(rounds).toBeLessThan(7);
});
