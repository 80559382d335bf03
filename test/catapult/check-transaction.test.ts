import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { derivePublicKey, signData } from "../../catapult/crypto/signature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { sha3, transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { isEmbeddedHashAccepted, shiftedMerkleRoot } from "../../catapult/verify/aggregate-hash.js";
import { checkTransaction } from "../../catapult/verify/check-transaction.js";
import { knownCorruptHashes } from "../../catapult/verify/network-exceptions.js";

describe("a transaction on its own", () => {
  const network: NetworkIdentity = { identifier: 152, generationHashSeed: Buffer.alloc(32, 9) };
  const signerKey = Buffer.alloc(32, 1);
  const cosignerKey = Buffer.alloc(32, 2);

  function embeddedTransfers(count: number): models.EmbeddedTransferTransactionV1[] {
    return Array.from({ length: count }, (_, i) => {
      const transfer = new models.EmbeddedTransferTransactionV1();
      transfer.network = models.NetworkType.TESTNET;
      transfer.message = new TextEncoder().encode(`${i}`);
      return transfer;
    });
  }

  /** Signed by one account, cosigned by the other; `hashOf` returns the hash over the embedded transactions' leaves. */
  function aggregate(
    version: 1 | 2 | 3,
    hashOf: (leaves: Buffer[], padded: Buffer[]) => Buffer = (leaves) => merkleRoot(leaves),
  ): Buffer {
    const classes = [
      models.AggregateCompleteTransactionV1,
      models.AggregateCompleteTransactionV2,
      models.AggregateCompleteTransactionV3,
    ];
    const entity = new classes[version - 1]!() as models.AggregateCompleteTransactionV2;
    entity.network = models.NetworkType.TESTNET;
    entity.transactions = embeddedTransfers(3);
    const parts = entity.transactions.map((inner) => Buffer.from(inner.serialize()));
    const padded = parts.map((part) => sha3(part, Buffer.alloc((8 - (part.length % 8)) % 8)));
    entity.transactionsHash.bytes.set(
      hashOf(
        parts.map((part) => sha3(part)),
        padded,
      ),
    );
    entity.signerPublicKey.bytes.set(derivePublicKey(signerKey));
    const signature = signData(signerKey, transactionSigningBytes(Buffer.from(entity.serialize()), network));
    entity.signature.bytes.set(signature);
    const hash = transactionHash(Buffer.from(entity.serialize()), network);
    const cosignature = new models.Cosignature();
    cosignature.signerPublicKey.bytes.set(derivePublicKey(cosignerKey));
    cosignature.signature.bytes.set(signData(cosignerKey, hash));
    entity.cosignatures = [cosignature];
    return Buffer.from(entity.serialize());
  }

  function check(bytes: Buffer): string {
    try {
      checkTransaction(decodeTransaction(bytes, network), network);
      return "accepted";
    } catch (error) {
      if (error instanceof EntityError) return error.field;
      throw error;
    }
  }

  function changed(bytes: Buffer, offset: number, value = bytes.at(offset)! ^ 1): Buffer {
    const copy = Buffer.from(bytes);
    copy[offset < 0 ? bytes.length + offset : offset] = value;
    return copy;
  }

  test.each([1, 2, 3] as const)("is accepted as an aggregate of version %d", (version) => {
    expect(check(aggregate(version))).toBe("accepted");
  });

  test("is rejected if one of its signatures is invalid", () => {
    const bytes = aggregate(2);
    expect(check(changed(bytes, VERIFIABLE.signature))).toBe("transaction.signature");
    expect(check(changed(bytes, -1))).toBe("transaction.cosignatures[0].signature");
    expect(check(changed(bytes, -104))).toBe("transaction.cosignatures[0].version");
    const zeroKey = Buffer.from(bytes);
    zeroKey.fill(0, VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
    expect(check(zeroKey)).toBe("transaction.signature");
  });

  test("includes the size of the embedded transactions from version 3 on", () => {
    const other = { ...network };
    const grown = (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt32LE(bytes.readUInt32LE(160) + 104, 160);
      return copy;
    };
    expect(transactionHash(grown(aggregate(2)), other)).toEqual(transactionHash(aggregate(2), other));
    expect(transactionHash(grown(aggregate(3)), other)).not.toEqual(transactionHash(aggregate(3), other));
  });

  test("may have one of the hashes of early client libraries in version 1 only", () => {
    const ways: ((leaves: Buffer[], padded: Buffer[]) => Buffer)[] = [
      (_leaves, padded) => merkleRoot(padded),
      (leaves) => shiftedMerkleRoot(leaves),
      (_leaves, padded) => shiftedMerkleRoot(padded),
    ];
    for (const way of ways) {
      expect(check(aggregate(1, way))).toBe("accepted");
      expect(check(aggregate(2, way))).toBe("transaction.transactionsHash");
    }
    expect(check(aggregate(1, () => Buffer.alloc(32, 5)))).toBe("transaction.transactionsHash");
  });

  test("may have a hash that its network lists as corrupt, in version 1 only", () => {
    const corrupt = Buffer.alloc(32, 5);
    for (const [version, expected] of [
      [1, true],
      [2, false],
    ] as const) {
      const bytes = aggregate(version, () => corrupt);
      const hash = transactionHash(bytes, network);
      const list = new Map([[hash.toString("hex").toUpperCase(), corrupt.toString("hex").toUpperCase()]]);
      expect(isEmbeddedHashAccepted(bytes, hash, network.generationHashSeed, list)).toBe(expected);
      expect(isEmbeddedHashAccepted(bytes, hash, network.generationHashSeed, new Map())).toBe(false);
    }
  });

  test("finds the list of the main network by its seed", () => {
    const mainnet = Buffer.from("57F7DA205008026C776CB6AED843393F04CD458E0AA2D9F1D5F31A402072B2D6", "hex");
    expect(knownCorruptHashes(mainnet).size).toBe(20);
    expect(knownCorruptHashes(network.generationHashSeed).size).toBe(0);
  });
});
