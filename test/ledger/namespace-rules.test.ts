import { describe, expect, test } from "@jest/globals";
import { childNamespace, mosaicAlias, namespaceId, rootNamespace } from "../devnet/state-descriptors.js";
import { mosaicDefinition, mosaicOf, TestChain } from "../devnet/state-test-chain.js";

/** A chain on which alice owns the root `house`, and a mosaic. */
function chainWithNamespace(): TestChain {
  const chain = new TestChain(["alice", "bob"]);
  chain.mine(
    chain.transaction("alice", rootNamespace("house", 100n)),
    chain.transaction("alice", mosaicDefinition("alice", 1)),
  );
  return chain;
}

describe("an alias of a mosaic", () => {
  test("names the mosaic by its id: the id of a namespace that is an alias itself is that of no mosaic", () => {
    const chain = chainWithNamespace();
    chain.mine(
      chain.transaction("alice", childNamespace("house", "door")),
      chain.transaction("alice", mosaicAlias("house", mosaicOf("alice", 1), "link")),
    );
    const link = (id: bigint) => chain.rejectionOf(chain.transaction("alice", mosaicAlias("house.door", id, "link")));
    expect(link(mosaicOf("alice", 1))).toBeUndefined();
    expect(link(namespaceId("house"))).toBe("Failure_Mosaic_Expired");
  });
});
