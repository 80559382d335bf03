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

/** The outcome of aggregates of versions 1 to 3 in the next block. */
function rejections(chain: TestChain): (string | undefined)[] {
  return [1, 2, 3].map((version) => {
    const part = chain.embedded("alice", transfer("bob"));
    const type = `aggregate_complete_transaction_v${version}`;
    return chain.rejectionOf(chain.aggregate("alice", [part], [], { type }));
  });
}

const [V1, V2, V3] = [1, 2, 3].map((version) => `Failure_Aggregate_V${version}_Prohibited`);
const UNKNOWN = "Failure_Core_Invalid_Version";

describe("versions of aggregates by height", () => {
  test("change at each fork height, one version at a time", () => {
    const forks = { strictAggregateTransactionHash: 4, uniqueAggregateTransactionHash: 6 };
    const chain = new TestChain(["alice"], forks);
    const seen = [];
    while (chain.state.height < 7) {
      seen.push([chain.state.height + 1, ...rejections(chain)]);
      chain.skip(1);
    }
    expect(seen).toEqual([
      [2, undefined, V2, V3],
      [3, undefined, V2, V3],
      [4, V1, undefined, V3],
      [5, V1, undefined, V3],
      [6, V1, V2, undefined],
      [7, V1, V2, undefined],
    ]);
  });

  test("nodes without the second fork do not know version 3", () => {
    expect(rejections(new TestChain(["alice"], { strictAggregateTransactionHash: 100 }))).toEqual([
      undefined,
      V2,
      UNKNOWN,
    ]);
    expect(rejections(new TestChain(["alice"]))).toEqual([V1, undefined, UNKNOWN]);
  });

  test("two aggregates of version 3 that differ only in their payload sizes have different hashes", () => {
    const chain = new TestChain(["alice"], { uniqueAggregateTransactionHash: 0 });
    const deadline = BigInt(chain.now + 1000);
    const hashes = ["aggregate_complete_transaction_v2", "aggregate_complete_transaction_v3"].map((type) => {
      const part = () => chain.embedded("alice", transfer("bob"));
      // the header's hash is given, so only the payload differs
      const fields = { type, deadline, transactionsHash: new Uint8Array(32) };
      return [[part()], [part(), part()]].map((parts) =>
        chain.aggregate("alice", parts, [], fields).hash.toString("hex"),
      );
    });
    expect(hashes.map((pair) => new Set(pair).size)).toEqual([1, 2]);
  });
});
