import { describe, expect, test } from "@jest/globals";
import { ACCOUNT_TYPE } from "../../catapult/state/account.js";
import { accountLink, modify, nodeLink, secretLock, vrfLink } from "../devnet/state-descriptors.js";
import { account, addressOf, CURRENCY, type Descriptor, TestChain, transfer } from "../devnet/state-test-chain.js";

function rejectionOf(chain: TestChain, signer: string, descriptor: Descriptor) {
  return chain.rejectionOf(chain.transaction(signer, descriptor));
}

function typeOf(chain: TestChain, name: string) {
  return chain.state.tables.accounts.get(account(name).address)?.type;
}

/** A chain on which the account `remote` is that of alice. */
function chainWithRemote(): TestChain {
  const chain = new TestChain(["alice", "bob", "carol"]);
  chain.mine(chain.transaction("alice", accountLink("remote", "link")));
  return chain;
}

describe("a remote account", () => {
  test("belongs to one main account at a time, and is never anything else again", () => {
    const chain = chainWithRemote();
    expect([typeOf(chain, "alice"), typeOf(chain, "remote")]).toEqual([ACCOUNT_TYPE.main, ACCOUNT_TYPE.remote]);
    const link = (signer: string) => rejectionOf(chain, signer, accountLink("remote", "link"));
    expect(link("bob")).toBe("Failure_AccountLink_Remote_Account_Ineligible");
    chain.mine(chain.transaction("alice", accountLink("remote", "unlink")));
    expect([typeOf(chain, "alice"), typeOf(chain, "remote")]).toEqual([
      ACCOUNT_TYPE.unlinked,
      ACCOUNT_TYPE.remoteUnlinked,
    ]);
    expect(rejectionOf(chain, "remote", transfer("bob"))).toBe("Failure_AccountLink_Remote_Account_Signer_Prohibited");
    expect(rejectionOf(chain, "bob", transfer("remote"))).toBe(
      "Failure_AccountLink_Remote_Account_Participant_Prohibited",
    );
    expect([link("alice"), link("bob")]).toEqual([undefined, undefined]);
  });

  test("may sign in an aggregate, but is no participant there either", () => {
    const chain = chainWithRemote();
    const parts = [chain.embedded("remote", transfer("carol")), chain.embedded("bob", transfer("carol"))];
    expect(chain.rejectionOf(chain.aggregate("bob", parts, ["remote"]))).toBeUndefined();
    const prohibited = "Failure_AccountLink_Remote_Account_Participant_Prohibited";
    const toRemote = chain.aggregate("bob", [chain.embedded("bob", transfer("remote"))]);
    expect(chain.rejectionOf(toRemote)).toBe(prohibited);
    expect(rejectionOf(chain, "bob", secretLock("open", { recipientAddress: addressOf("remote") }))).toBe(prohibited);
    expect(chain.rejectionOf(modify(chain, "bob", ["remote"], [], 1, 1, ["bob", "remote"]))).toBe(prohibited);
  });

  test("has no key that is known, not even the signer's own; it may own something", () => {
    const chain = chainWithRemote();
    chain.mine(chain.transaction("alice", transfer("stranger", [[CURRENCY, 5n]])));
    expect(rejectionOf(chain, "bob", accountLink("bob", "link"))).toBe("Failure_AccountLink_Remote_Account_Ineligible");
    expect(rejectionOf(chain, "bob", accountLink("alice", "link"))).toBe(
      "Failure_AccountLink_Remote_Account_Ineligible",
    );
    expect(rejectionOf(chain, "bob", accountLink("stranger", "link"))).toBeUndefined();
  });
});

describe("an account", () => {
  test("has one VRF key and one node key, each unlinked by itself", () => {
    const chain = new TestChain(["alice"]);
    for (const [linkOf, code] of [
      [vrfLink, "Core"],
      [nodeLink, "AccountLink"],
    ] as const) {
      const inconsistent = `Failure_${code}_Inconsistent_Unlink_Data`;
      expect(rejectionOf(chain, "alice", linkOf("one", "unlink"))).toBe(inconsistent);
      chain.mine(chain.transaction("alice", linkOf("one", "link")));
      expect(rejectionOf(chain, "alice", linkOf("one", "link"))).toBe(`Failure_${code}_Link_Already_Exists`);
      expect(rejectionOf(chain, "alice", linkOf("other", "unlink"))).toBe(inconsistent);
      expect(rejectionOf(chain, "alice", linkOf("one", "unlink"))).toBeUndefined();
    }
    // the same key may be linked by others
    expect(rejectionOf(chain, "bob", vrfLink("one", "link"))).toBeUndefined();
  });

  test("has no key if that is 32 zero bytes: it cannot be unlinked, and another one can be linked", () => {
    const chain = new TestChain(["alice"]);
    for (const linkOf of [vrfLink, nodeLink]) {
      const zero = { ...linkOf("one", "link"), linkedPublicKey: new Uint8Array(32) };
      chain.mine(chain.transaction("alice", zero));
      expect(rejectionOf(chain, "alice", { ...zero, linkAction: "unlink" })).toMatch(/_Inconsistent_Unlink_Data$/);
      expect(rejectionOf(chain, "alice", linkOf("one", "link"))).toBeUndefined();
    }
    const { vrfPublicKey, nodePublicKey } = chain.state.tables.accounts.require(account("alice").address);
    expect([vrfPublicKey, nodePublicKey]).toEqual([undefined, undefined]);
  });
});
