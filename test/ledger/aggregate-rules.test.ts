import { describe, expect, test } from "@jest/globals";
import { multisigChange } from "../devnet/state-descriptors.js";
import { TestChain, transfer } from "../devnet/state-test-chain.js";

describe("an aggregate", () => {
  test("has one to three transactions, and two cosigners at most besides its signer", () => {
    const chain = new TestChain(["alice", "bob", "carol", "dave"]);
    const rejectionOf = (signers: readonly string[], cosigners: readonly string[]) =>
      chain.rejectionOf(
        chain.aggregate(
          "alice",
          signers.map((signer) => chain.embedded(signer, transfer("alice"))),
          cosigners,
        ),
      );
    expect(rejectionOf(["alice", "bob", "carol"], ["bob", "carol"])).toBeUndefined();
    expect(rejectionOf([], [])).toBe("Failure_Aggregate_No_Transactions");
    expect(rejectionOf(["alice", "alice", "alice", "alice"], [])).toBe("Failure_Aggregate_Too_Many_Transactions");
    expect(rejectionOf(["bob", "carol", "dave"], ["bob", "carol", "dave"])).toBe(
      "Failure_Aggregate_Too_Many_Cosignatures",
    );
    expect(rejectionOf(["bob"], ["bob", "alice"])).toBe("Failure_Aggregate_Redundant_Cosignatures");
  });

  test("where signatures are checked strictly is signed by the signers of its transactions, and no others", () => {
    const { aggregate } = new TestChain([]).state.config;
    const chains = [false, true].map(
      (strictCosignatureCheck) =>
        new TestChain(["alice", "bob", "multi"], {}, { aggregate: { ...aggregate, strictCosignatureCheck } }),
    );
    const rejections = chains.map((chain) => {
      const becomesMultisig = chain.embedded("multi", multisigChange(["alice"], [], 1, 1));
      chain.mine(chain.aggregate("multi", [becomesMultisig, chain.embedded("alice", transfer("bob"))], ["alice"]));
      const of = (embedded: readonly string[], cosigners: readonly string[] = []) =>
        chain.rejectionOf(
          chain.aggregate(
            "alice",
            embedded.map((signer) => chain.embedded(signer, transfer("bob"))),
            cosigners,
          ),
        );
      return [of(["alice"]), of(["bob"], ["bob"]), of(["multi"]), of(["multi", "alice"])];
    });
    const ineligible = "Failure_Aggregate_Ineligible_Cosignatories";
    expect(rejections).toEqual([
      [undefined, ineligible, undefined, undefined],
      // Its transactions would need the signature of the multisig account, which never signs.
      [undefined, ineligible, ineligible, "Failure_Aggregate_Missing_Cosignatures"],
    ]);
  });
});
