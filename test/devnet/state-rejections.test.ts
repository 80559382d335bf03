import { describe, expect, test } from "@jest/globals";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { describeRecorded } from "../support/describe-chains.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import {
  accountLink,
  metadata,
  modify,
  revocation,
  rootNamespace,
  secretProof,
  votingLink,
} from "./state-descriptors.js";
import { type Build, by, chainWithEverything, REJECTION_CASES } from "./state-rejection-cases.js";
import { CURRENCY, FUNDS, mosaicOf, supplyChange, transfer } from "./state-test-chain.js";

describe("an invalid transaction is rejected with the network's code:", () => {
  const chain = chainWithEverything();

  test.each(REJECTION_CASES)("%s for %s", (rejection, _cause, build) => {
    const before = chain.state.subCacheMerkleRoots();
    expect(chain.rejectionOf(build(chain))).toBe(rejection);
    expect(chain.state.subCacheMerkleRoots()).toEqual(before);
  });

  test("and allowed transactions are not rejected", () => {
    const allowed: readonly Build[] = [
      by("alice", transfer("bob", [[CURRENCY, FUNDS / 2n]], "hello")),
      by("alice", transfer(encodeAliasAddress(namespaceIdOf("house"), 152), [[CURRENCY, 1n]])),
      by("alice", transfer("dave", [[mosaicOf("alice", 4), 1n]])),
      by("alice", supplyChange(mosaicOf("alice", 1), 1n)),
      by("alice", revocation(mosaicOf("alice", 1))),
      by("alice", rootNamespace("house", 100n)),
      by("bob", secretProof("open")),
      by("alice", votingLink(101, 200)),
      // carol owns something, but never signed
      by("bob", accountLink("carol", "link")),
      (c) => c.aggregate("carol", [c.embedded("multisig", transfer("bob"))], ["dave"]),
      (c) => c.aggregate("alice", [c.embedded("alice", metadata("bob", "hello"))], ["bob"]),
      (c) => modify(c, "multisig", [], ["dave"], -1, -1, ["carol", "dave"]),
    ];
    expect(allowed.map((build) => chain.rejectionOf(build(chain)))).toEqual(allowed.map(() => undefined));
  });
});

describeRecorded("the rejections that a real node gave", (recorded) => {
  test("are all among those that are tried here, except invalid signatures, which the state does not check", () => {
    const tried = new Set<string>(REJECTION_CASES.map(([rejection]) => rejection));
    const codes = recorded.lines<{ code?: string }>("announced.jsonl.gz").map(({ code }) => code);
    const given = new Set(codes.filter((code) => code?.startsWith("Failure_")));
    expect(given.size).toBeGreaterThan(25);
    expect([...given].filter((code) => !tried.has(code!))).toEqual(["Failure_Consumer_Batch_Signature_Not_Verifiable"]);
  });
});
