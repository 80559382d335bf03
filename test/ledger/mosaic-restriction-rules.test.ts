import { describe, expect, test } from "@jest/globals";
import type { ExecutableTransaction } from "../../ledger/state/notifications.js";
import { addressValue, globalRestriction } from "../devnet/state-descriptors.js";
import { CURRENCY, mosaicDefinition, mosaicOf, supplyChange, TestChain, transfer } from "../devnet/state-test-chain.js";

const RULE = 0x1111n;

/** A chain on which alice has a mosaic with a rule that she fulfils. */
function chainWithRule(): TestChain {
  const chain = new TestChain(["alice", "bob"]);
  for (const descriptor of [
    mosaicDefinition("alice", 4, { flags: "transferable restrictable" }),
    supplyChange(mosaicOf("alice", 4), 1000n),
    globalRestriction(RULE),
    addressValue("alice", RULE),
  ]) {
    chain.mine(chain.transaction("alice", descriptor));
  }
  return chain;
}

describe("a value of a mosaic restriction", () => {
  const chain = chainWithRule();
  const sent = (change: Record<string, unknown>): ExecutableTransaction =>
    chain.transaction("alice", { ...addressValue("bob", RULE), ...change });

  test("is not for the address of 24 zero bytes, which is in the key of the mosaic's rules", () => {
    expect(chain.rejectionOf(sent({}))).toBeUndefined();
    expect(chain.rejectionOf(sent({ targetAddress: new Uint8Array(24) }))).toBe("Failure_Core_Invalid_Address");
    const rules = chain.state.tables.mosaicRestrictions.rules(mosaicOf("alice", 4));
    expect([...rules!.keys()]).toEqual([RULE]);
    expect(chain.rejectionOf(chain.transaction("alice", transfer("bob", [[CURRENCY, 1n]])))).toBeUndefined();
  });
});
