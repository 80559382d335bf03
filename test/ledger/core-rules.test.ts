import { describe, expect, test } from "@jest/globals";
import { aliasAddressOf } from "../../catapult/entity/address.js";
import { BlockExecutionError } from "../../ledger/engine/chain-state.js";
import { addressAlias, namespaceId, rootNamespace } from "../devnet/state-descriptors.js";
import { account, NETWORK, TestChain } from "../devnet/state-test-chain.js";

describe("the beneficiary of a block", () => {
  test("is an address, never an alias of one", () => {
    const chain = new TestChain(["alice"]);
    chain.mine(
      chain.transaction("alice", rootNamespace("house", 100n)),
      chain.transaction("alice", addressAlias("house", "alice", "link")),
    );
    const beneficiary = aliasAddressOf(namespaceId("house"), NETWORK.identifier);
    expect(() => chain.mineWith({ beneficiary })).toThrow(
      new BlockExecutionError("block 3: Failure_Core_Invalid_Address"),
    );
    chain.mineWith({ beneficiary: account("stranger").address });
    expect(chain.state.tables.accounts.get(account("stranger").address)).toMatchObject({ addressHeight: 3 });
  });
});
