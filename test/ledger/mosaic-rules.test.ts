import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { mosaicAlias, revocation, rootNamespace, setId } from "../devnet/state-descriptors.js";
import {
  account,
  addressOf,
  CURRENCY,
  type Descriptor,
  FUNDS,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

const MAX_DURATION = 63_072_000n;
const MAX_SUPPLY = 9_000_000_000_000_000n;

const mosaic = (chain: TestChain, nonce: number) => chain.state.tables.mosaics.get(mosaicOf("alice", nonce));

/** A definition with flags as a number. */
function withFlags(chain: TestChain, nonce: number, flags: number) {
  return chain.transaction("alice", mosaicDefinition("alice", nonce), (entity) => {
    (entity as models.MosaicDefinitionTransactionV1).flags = new models.MosaicFlags(flags);
  });
}

describe("the definition of a mosaic", () => {
  test("has the id of its owner and nonce, a divisibility and a duration up to the maximum", () => {
    const chain = new TestChain(["alice"]);
    const define = (change: Record<string, unknown>) => chain.codeOf("alice", mosaicDefinition("alice", 1, change));
    expect([6, 7].map((divisibility) => define({ divisibility }))).toEqual([
      undefined,
      "Failure_Mosaic_Invalid_Divisibility",
    ]);
    expect([0n, 1n, MAX_DURATION, MAX_DURATION + 1n, 2n ** 64n - 1n].map((duration) => define({ duration }))).toEqual([
      undefined,
      undefined,
      undefined,
      "Failure_Mosaic_Invalid_Duration",
      "Failure_Mosaic_Invalid_Duration",
    ]);
    const withId = (id: bigint) =>
      chain.rejectionOf(
        chain.transaction("alice", mosaicDefinition("alice", 1), (entity) => setId(entity, new models.MosaicId(id))),
      );
    expect([withId(mosaicOf("alice", 1)), withId(mosaicOf("alice", 2)), withId(0n)]).toEqual([
      undefined,
      "Failure_Mosaic_Id_Mismatch",
      "Failure_Mosaic_Invalid_Id",
    ]);
    expect(generateMosaicId(account("alice").address, 1) >> 63n).toBe(0n);
  });

  test("has four flags, the last one only from the treasury reissuance on", () => {
    const chain = new TestChain(["alice"], { treasuryReissuance: 3 });
    const codes = () =>
      [0x00, 0x07, 0x08, 0x0f, 0x10, 0xff].map((flags) => chain.rejectionOf(withFlags(chain, 1, flags)));
    const invalid = "Failure_Mosaic_Invalid_Flags";
    expect(codes()).toEqual([undefined, undefined, invalid, invalid, invalid, invalid]);
    chain.skip(1);
    expect(codes()).toEqual([undefined, undefined, undefined, undefined, invalid, invalid]);
  });

  test("costs its fee times the fee factor", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", mosaicDefinition("alice", 1));
    expect(chain.balance("alice")).toBe(FUNDS - 500_000n);
  });

  test("is changed by a second one while there is no supply: flags and divisibility by XOR, the duration by a sum", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", mosaicDefinition("alice", 1, { divisibility: 5, duration: 100n }));
    const first = mosaic(chain, 1)!;
    chain.skip(2);
    chain.mine(withFlags(chain, 1, 0x05));
    expect(mosaic(chain, 1)).toMatchObject({ flags: 0x02 ^ 0x05, divisibility: 5, duration: 100n, revision: 2 });
    const change = (values: Record<string, unknown>) =>
      mosaicDefinition("alice", 1, { flags: "none", divisibility: 0, duration: 0n, ...values });
    const codes = [
      change({}),
      change({ divisibility: 5 }),
      change({ divisibility: 2 }),
      change({ duration: MAX_DURATION - 100n }),
      change({ duration: MAX_DURATION - 99n }),
    ].map((descriptor) => chain.codeOf("alice", descriptor));
    expect(codes).toEqual([
      "Failure_Mosaic_Modification_No_Changes",
      undefined,
      "Failure_Mosaic_Invalid_Divisibility",
      undefined,
      "Failure_Mosaic_Invalid_Duration",
    ]);
    chain.send("alice", change({ divisibility: 4, duration: 7n }));
    expect(mosaic(chain, 1)).toMatchObject({ divisibility: 1, duration: 107n, revision: 3 });
    expect(mosaic(chain, 1)!.startHeight).toBe(first.startHeight);
    chain.send("alice", supplyChange(mosaicOf("alice", 1), 1n));
    expect(chain.codeOf("alice", change({ divisibility: 4 }))).toBe("Failure_Mosaic_Modification_Disallowed");
  });

  test("without end never gets one", () => {
    const chain = new TestChain(["alice"]);
    chain.send("alice", mosaicDefinition("alice", 1));
    const change = (values: Record<string, unknown>) =>
      chain.codeOf("alice", mosaicDefinition("alice", 1, { flags: "none", duration: 10n, ...values }));
    expect(change({})).toBe("Failure_Mosaic_Modification_No_Changes");
    expect(change({ divisibility: 1 })).toBe("Failure_Mosaic_Invalid_Duration");
  });
});

test("the lifetime of a mosaic is its duration: in the block at its end nothing works with it, and there is a receipt; it stays in the state", () => {
  const chain = new TestChain(["alice", "bob"]);
  const flags = "transferable supply_mutable revokable restrictable";
  const id = mosaicOf("alice", 1);
  chain.send("alice", mosaicDefinition("alice", 1, { flags, duration: 5n }));
  chain.send("alice", mosaicDefinition("alice", 2, { duration: 4n }), supplyChange(id, 10n));
  chain.send("alice", transfer("bob", [[id, 5n]]));
  const { startHeight } = mosaic(chain, 1)!;
  const uses = () => [
    chain.codeOf("bob", transfer("alice", [[id, 1n]])),
    chain.codeOf("alice", supplyChange(id, 1n)),
    chain.codeOf("alice", revocation(id)),
    chain.codeOf("alice", mosaicDefinition("alice", 1, { flags: "none", divisibility: 1 })),
  ];
  chain.skip(1);
  expect(chain.state.height + 1).toBe(startHeight + 4);
  expect(uses()).toEqual([undefined, undefined, undefined, "Failure_Mosaic_Modification_Disallowed"]);
  chain.skip(1);
  expect(uses()).toEqual(uses().map(() => "Failure_Mosaic_Expired"));
  const { statement } = chain.mine();
  const receipts = decodeStatement(statement).transactionStatements.flatMap((one) => one.receipts);
  const expired = receipts.flatMap((receipt) => (receipt.kind === "artifactExpiry" ? [receipt] : []));
  const ids = [id, mosaicOf("alice", 2)].sort((left, right) => (left < right ? -1 : 1));
  expect(expired.map(({ type, artifactId }) => [type, artifactId])).toEqual(
    ids.map((one) => [RECEIPT_TYPE.mosaic_expired, one]),
  );
  chain.state.finalize(chain.state.height, chain.now);
  expect(mosaic(chain, 1)).toBeDefined();
  expect(uses()).toEqual(uses().map(() => "Failure_Mosaic_Expired"));
});

describe("the supply of a mosaic", () => {
  test("is at most that of the network, and at least what others own", () => {
    const chain = new TestChain(["alice", "bob"]);
    const id = mosaicOf("alice", 1);
    chain.send("alice", mosaicDefinition("alice", 1, { flags: "transferable supply_mutable" }));
    const change = (delta: bigint, action?: string) => chain.codeOf("alice", supplyChange(id, delta, action));
    expect([MAX_SUPPLY, MAX_SUPPLY + 1n, 2n ** 64n - 1n].map((delta) => change(delta))).toEqual([
      undefined,
      "Failure_Mosaic_Supply_Exceeded",
      "Failure_Mosaic_Supply_Exceeded",
    ]);
    chain.send("alice", supplyChange(id, MAX_SUPPLY));
    // the sum of 64 bits wraps
    expect([1n, 2n ** 64n - MAX_SUPPLY].map((delta) => change(delta))).toEqual([
      "Failure_Mosaic_Supply_Exceeded",
      "Failure_Mosaic_Supply_Exceeded",
    ]);
    chain.send("alice", transfer("bob", [[id, 1n]]));
    expect([change(MAX_SUPPLY - 1n, "decrease"), change(MAX_SUPPLY, "decrease"), change(0n)]).toEqual([
      undefined,
      "Failure_Mosaic_Supply_Negative",
      "Failure_Mosaic_Invalid_Supply_Change_Amount",
    ]);
    chain.send("alice", supplyChange(id, MAX_SUPPLY - 1n, "decrease"));
    expect(mosaic(chain, 1)!.supply).toBe(1n);
  });

  test("that is not mutable changes only while its owner has all of it", () => {
    const chain = new TestChain(["alice", "bob"]);
    const id = mosaicOf("alice", 1);
    chain.send("alice", mosaicDefinition("alice", 1));
    chain.send("alice", supplyChange(id, 10n));
    chain.send("alice", supplyChange(id, 5n));
    chain.send("alice", transfer("bob", [[id, 1n]]));
    const codes = ["increase", "decrease"].map((action) => chain.codeOf("alice", supplyChange(id, 1n, action)));
    expect(codes).toEqual(["Failure_Mosaic_Supply_Immutable", "Failure_Mosaic_Supply_Immutable"]);
    chain.send("bob", transfer("alice", [[id, 1n]]));
    expect(chain.codeOf("alice", supplyChange(id, 1n))).toBeUndefined();
  });

  test("of the currency grows by the inflation of each block", () => {
    const chain = new TestChain([]);
    const supply = () => chain.state.tables.mosaics.get(CURRENCY)!.supply;
    const before = supply();
    chain.skip(998);
    expect([chain.state.height, supply() - before]).toEqual([999, 99_800n]);
    chain.skip(1);
    expect(supply() - before).toBe(99_800n);
  });
});

describe("a transfer of a mosaic", () => {
  test("that is not transferable has its owner as sender or recipient", () => {
    const chain = new TestChain(["alice", "bob", "carol"]);
    const id = mosaicOf("alice", 1);
    chain.send("alice", mosaicDefinition("alice", 1, { flags: "none" }));
    chain.send("alice", supplyChange(id, 10n));
    chain.send("alice", transfer("bob", [[id, 2n]]));
    expect(chain.codeOf("bob", transfer("carol", [[id, 1n]]))).toBe("Failure_Mosaic_Non_Transferable");
    expect(chain.codeOf("bob", transfer("carol", [[id, 0n]]))).toBe("Failure_Mosaic_Non_Transferable");
    expect(chain.codeOf("bob", transfer("alice", [[id, 1n]]))).toBeUndefined();
  });

  test("that is the currency by its id needs nothing else, by an alias it is like any other", () => {
    const { namespace, mosaic } = new TestChain([]).state.config;
    const currencyMosaicId = mosaicOf("alice", 1);
    const free = {
      inflation: [],
      namespace: { ...namespace, rootRentalFeePerBlock: 0n },
      mosaic: { ...mosaic, rentalFee: 0n },
    };
    const chain = new TestChain(["alice"], {}, { currencyMosaicId, ...free });
    chain.send("alice", mosaicDefinition("alice", 1, { duration: 3n }), rootNamespace("coin", 100n));
    chain.send("alice", mosaicAlias("coin", currencyMosaicId, "link"));
    const codes = () =>
      [currencyMosaicId, namespaceIdOf("coin")].map((id) => chain.codeOf("alice", transfer("bob", [[id, 0n]])));
    expect(codes()).toEqual([undefined, undefined]);
    chain.skip(2);
    expect(codes()).toEqual([undefined, "Failure_Mosaic_Expired"]);
  });

  test("that the recipient does not own needs one of his seven places, an amount of 0 does not", () => {
    const chain = new TestChain(["alice", "bob"]);
    const nonces = [1, 2, 3, 4, 5, 6, 7];
    for (const nonce of nonces) {
      chain.send("alice", mosaicDefinition("alice", nonce));
      // alice has seven mosaics with the currency, so she gives the last one away at once
      if (nonce === 7) chain.send("alice", transfer("carol", [[mosaicOf("alice", 1), 10n]]));
      chain.send("alice", supplyChange(mosaicOf("alice", nonce), 10n));
    }
    for (const nonce of [2, 3, 4, 5, 6, 7]) chain.send("alice", transfer("bob", [[mosaicOf("alice", nonce), 1n]]));
    const give = (signer: string, nonce: number, amount: bigint) =>
      chain.codeOf(signer, transfer("bob", [[mosaicOf("alice", nonce), amount]]));
    const exceeded = "Failure_Mosaic_Max_Mosaics_Exceeded";
    expect(chain.account("bob").balances).toHaveLength(7);
    expect([give("carol", 1, 1n), give("carol", 1, 0n), give("alice", 7, 1n)]).toEqual([
      exceeded,
      undefined,
      undefined,
    ]);
    chain.send("alice", mosaicDefinition("alice", 8, { flags: "supply_mutable" }));
    const supply = (action: string) => chain.codeOf("alice", supplyChange(mosaicOf("alice", 8), 1n, action));
    expect([supply("increase"), supply("decrease")]).toEqual([exceeded, "Failure_Mosaic_Supply_Negative"]);
  });
});

describe("a revocation", () => {
  const id = mosaicOf("alice", 1);
  const revoke = (amount: bigint, from = "bob"): Descriptor => ({
    ...revocation(id),
    sourceAddress: addressOf(from),
    mosaic: { mosaicId: id, amount },
  });

  test("takes what the source owns back to the owner of a revokable mosaic", () => {
    const chain = new TestChain(["alice", "bob"]);
    chain.send("alice", mosaicDefinition("alice", 1, { flags: "revokable" }));
    chain.send("alice", supplyChange(id, 10n));
    chain.send("alice", transfer("bob", [[id, 4n]]));
    expect(chain.codeOf("bob", revoke(1n, "alice"))).toBe("Failure_Mosaic_Owner_Conflict");
    expect(chain.codeOf("alice", revoke(5n))).toBe("Failure_Core_Insufficient_Balance");
    expect(chain.codeOf("alice", revoke(0n, "stranger"))).toBeUndefined();
    chain.send("alice", revoke(4n));
    expect(chain.balance("alice", id)).toBe(10n);
  });
});
