import { describe, expect, test } from "@jest/globals";
import { ACCOUNT_TYPE } from "../../catapult/state/account.js";
import { accountLink, modify, nodeLink, secretLock, vrfLink } from "../devnet/state-descriptors.js";
import { account, addressOf, CURRENCY, TestChain, transfer } from "../devnet/state-test-chain.js";

function typeOf(chain: TestChain, name: string) {
  return chain.state.tables.accounts.get(account(name).address)?.type;
}

/** A chain on which the account `remote` is that of alice. */
function chainWithRemote(): TestChain {
  const chain = new TestChain(["alice", "bob", "carol"]);
  chain.send("alice", accountLink("remote", "link"));
  return chain;
}

describe("a remote account", () => {
  test("belongs to one main account at a time, and is never anything else again", () => {
    const chain = chainWithRemote();
    expect([typeOf(chain, "alice"), typeOf(chain, "remote")]).toEqual([ACCOUNT_TYPE.main, ACCOUNT_TYPE.remote]);
    const link = (signer: string) => chain.codeOf(signer, accountLink("remote", "link"));
    expect(link("bob")).toBe("Failure_AccountLink_Remote_Account_Ineligible");
    chain.send("alice", accountLink("remote", "unlink"));
    expect([typeOf(chain, "alice"), typeOf(chain, "remote")]).toEqual([
      ACCOUNT_TYPE.unlinked,
      ACCOUNT_TYPE.remoteUnlinked,
    ]);
    expect(chain.codeOf("remote", transfer("bob"))).toBe("Failure_AccountLink_Remote_Account_Signer_Prohibited");
    expect(chain.codeOf("bob", transfer("remote"))).toBe("Failure_AccountLink_Remote_Account_Participant_Prohibited");
    expect([link("alice"), link("bob")]).toEqual([undefined, undefined]);
  });

  test("may sign in an aggregate, but is no participant there either", () => {
    const chain = chainWithRemote();
    const parts = [chain.embedded("remote", transfer("carol")), chain.embedded("bob", transfer("carol"))];
    expect(chain.rejectionOf(chain.aggregate("bob", parts, ["remote"]))).toBeUndefined();
    const prohibited = "Failure_AccountLink_Remote_Account_Participant_Prohibited";
    const toRemote = chain.aggregate("bob", [chain.embedded("bob", transfer("remote"))]);
    expect(chain.rejectionOf(toRemote)).toBe(prohibited);
    expect(chain.codeOf("bob", secretLock("open", { recipientAddress: addressOf("remote") }))).toBe(prohibited);
    expect(chain.rejectionOf(modify(chain, "bob", ["remote"], [], 1, 1, ["bob", "remote"]))).toBe(prohibited);
  });

  test("has no key that is known, not even the signer's own; it may own something", () => {
    const chain = chainWithRemote();
    chain.send("alice", transfer("stranger", [[CURRENCY, 5n]]));
    expect(chain.codeOf("bob", accountLink("bob", "link"))).toBe("Failure_AccountLink_Remote_Account_Ineligible");
    expect(chain.codeOf("bob", accountLink("alice", "link"))).toBe("Failure_AccountLink_Remote_Account_Ineligible");
    expect(chain.codeOf("bob", accountLink("stranger", "link"))).toBeUndefined();
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
      expect(chain.codeOf("alice", linkOf("one", "unlink"))).toBe(inconsistent);
      chain.send("alice", linkOf("one", "link"));
      expect(chain.codeOf("alice", linkOf("one", "link"))).toBe(`Failure_${code}_Link_Already_Exists`);
      expect(chain.codeOf("alice", linkOf("other", "unlink"))).toBe(inconsistent);
      expect(chain.codeOf("alice", linkOf("one", "unlink"))).toBeUndefined();
    }
    // the same key may be linked by others
    expect(chain.codeOf("bob", vrfLink("one", "link"))).toBeUndefined();
  });

  test("has no key if that is 32 zero bytes: it cannot be unlinked, and another one can be linked", () => {
    const chain = new TestChain(["alice"]);
    for (const linkOf of [vrfLink, nodeLink]) {
      const zero = { ...linkOf("one", "link"), linkedPublicKey: new Uint8Array(32) };
      chain.send("alice", zero);
      expect(chain.codeOf("alice", { ...zero, linkAction: "unlink" })).toMatch(/_Inconsistent_Unlink_Data$/);
      expect(chain.codeOf("alice", linkOf("one", "link"))).toBeUndefined();
    }
    const { vrfPublicKey, nodePublicKey } = chain.account("alice");
    expect([vrfPublicKey, nodePublicKey]).toEqual([undefined, undefined]);
  });
});
