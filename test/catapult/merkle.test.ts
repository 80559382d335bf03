import { describe, expect, test } from "@jest/globals";
import { type models, SymbolFacade } from "symbol-sdk/symbol";
import { checkedMerkleRoot, merklePath, merkleRoot } from "../../catapult/crypto/merkle.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import { shiftedMerkleRoot } from "../../catapult/verify/aggregate-hash.js";

function content(index: number): Buffer {
  return Buffer.from(`leaf ${index}`);
}

function leaves(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => sha3(content(index)));
}

/** The client library exports its tree only for the transactions of aggregates: it hashes their serialized form. */
function libraryRoot(count: number): Buffer {
  const transactions = Array.from({ length: count }, (_, index) => ({ serialize: () => content(index) }));
  const root = SymbolFacade.hashEmbeddedTransactions(transactions as unknown as models.EmbeddedTransaction[]);
  return Buffer.from(root.bytes);
}

describe("merkle trees", () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 100])(
    "of %d leaves have the root that the client library computes",
    (count) => {
      expect(merkleRoot(leaves(count))).toEqual(libraryRoot(count));
    },
  );

  test.each([1, 2, 3, 5, 8, 13])("of %d leaves prove every leaf", (count) => {
    const root = merkleRoot(leaves(count));
    leaves(count).forEach((leaf, index) => {
      const proven = merklePath(leaves(count), index).reduce(
        (node, { hash, position }) => (position === "left" ? sha3(hash, node) : sha3(node, hash)),
        leaf,
      );
      expect(proven).toEqual(root);
    });
  });

  test("have no path for an unknown leaf", () => {
    expect(() => merklePath(leaves(2), 2)).toThrow(RangeError);
    expect(() => merklePath([], 0)).toThrow(RangeError);
    expect(() => merklePath(leaves(2), -1)).toThrow(RangeError);
  });

  test("do not modify their leaves", () => {
    const given = leaves(5);
    merkleRoot(given);
    merklePath(given, 4);
    expect(given).toEqual(leaves(5));
  });

  test("are ambiguous if repeated leaves give the root of a shorter list", () => {
    const [a, b, c, d, e, f] = leaves(6) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    expect(merkleRoot([a, b, c, c])).toEqual(merkleRoot([a, b, c]));
    expect(checkedMerkleRoot([a, b, c, c]).isAmbiguous).toBe(true);
    expect(merkleRoot([a, b, c, d, e, f, e, f])).toEqual(merkleRoot([a, b, c, d, e, f]));
    expect(checkedMerkleRoot([a, b, c, d, e, f, e, f]).isAmbiguous).toBe(true);
    expect(checkedMerkleRoot([a, a, b, c]).isAmbiguous).toBe(false);
    for (let count = 0; count < 20; ++count) expect(checkedMerkleRoot(leaves(count)).isAmbiguous).toBe(false);
  });
});

describe("the shifted tree of old aggregates", () => {
  test("is the ordinary one for up to two leaves", () => {
    for (const count of [0, 1, 2]) expect(shiftedMerkleRoot(leaves(count))).toEqual(merkleRoot(leaves(count)));
  });

  test("hashes shifted nodes, step by step", () => {
    const [a, b, c, d] = leaves(4) as [Buffer, Buffer, Buffer, Buffer];
    // [a b c d] → H(a b) is put before a: [ab a b c] → the next pair read is (b c), put second: [ab bc a b]
    expect(shiftedMerkleRoot([a, b, c, d])).toEqual(sha3(sha3(a, b), sha3(b, c)));
    // [a b c] → [ab a b] → b is alone
    expect(shiftedMerkleRoot([a, b, c])).toEqual(sha3(sha3(a, b), sha3(b, b)));
  });
});
