import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import {
  addressOfPublicKey,
  decodeAddress,
  encodeAliasAddress,
  isAliasAddress,
} from "../../catapult/entity/address.js";
import type { BlockTransaction, NetworkIdentity, RentalFeeSinks } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { describeRecorded } from "../support/describe-chains.js";

const NETWORK = 152;
const signerKey = Buffer.alloc(32, 1);
const signer = addressOfPublicKey(signerKey, NETWORK);
const other = addressOfPublicKey(Buffer.alloc(32, 2), NETWORK);
const alias = encodeAliasAddress(0xabcdefn | (1n << 63n), NETWORK);

function signed<T extends models.Transaction | models.EmbeddedTransaction>(transaction: T, change: (t: T) => void): T {
  transaction.signerPublicKey.bytes.set(signerKey);
  change(transaction);
  return transaction;
}

/** Of an aggregate with the addresses of its embedded transactions; embeddable-only types are wrapped in one. */
function relatedAddresses(
  entity: models.Transaction | models.EmbeddedTransaction,
  sinks?: RentalFeeSinks,
): readonly Buffer[] {
  entity.network = models.NetworkType.TESTNET;
  const network = {
    identifier: NETWORK,
    generationHashSeed: Buffer.alloc(32),
    ...(sinks && { rentalFeeSinks: () => sinks }),
  };
  if (entity instanceof models.Transaction) {
    for (const inner of (entity as Partial<models.AggregateCompleteTransactionV2>).transactions ?? [])
      inner.network = models.NetworkType.TESTNET;
    return decodeTransaction(Buffer.from(entity.serialize()), network).relatedAddresses;
  }
  const aggregate = new models.AggregateCompleteTransactionV2();
  aggregate.network = models.NetworkType.TESTNET;
  aggregate.transactions = [entity];
  return decodeTransaction(Buffer.from(aggregate.serialize()), network).embedded[0]!.relatedAddresses;
}

function texts(addresses: readonly Uint8Array[]): string[] {
  return addresses.map((address) => Buffer.from(address).toString("hex")).sort();
}

function unresolved(address: Buffer): models.UnresolvedAddress {
  return new models.UnresolvedAddress(Uint8Array.from(address));
}

describe("the addresses that a transaction concerns", () => {
  test("are those in the transaction, aliases included", () => {
    const transfer = signed(new models.TransferTransactionV1(), (t) => {
      t.recipientAddress = unresolved(alias);
    });
    expect(texts(relatedAddresses(transfer))).toEqual(texts([signer, alias]));
  });

  test("are named once each, and are in ascending order", () => {
    const toSelf = signed(new models.TransferTransactionV1(), (t) => {
      t.recipientAddress = unresolved(signer);
    });
    expect(relatedAddresses(toSelf)).toEqual([signer]);
    const toOther = signed(new models.TransferTransactionV1(), (t) => {
      t.recipientAddress = unresolved(other);
    });
    expect(relatedAddresses(toOther)).toEqual([signer, other].sort(Buffer.compare));
  });

  test("include the linked account, not the unlinked one", () => {
    const link = (action: models.LinkAction) =>
      signed(new models.AccountKeyLinkTransactionV1(), (t) => {
        t.linkedPublicKey.bytes.set(Buffer.alloc(32, 2));
        t.linkAction = action;
      });
    expect(texts(relatedAddresses(link(models.LinkAction.LINK)))).toEqual(texts([signer, other]));
    expect(relatedAddresses(link(models.LinkAction.UNLINK))).toEqual([signer]);
    const vrf = signed(new models.VrfKeyLinkTransactionV1(), (t) => {
      t.linkedPublicKey.bytes.set(Buffer.alloc(32, 2));
      t.linkAction = models.LinkAction.LINK;
    });
    expect(relatedAddresses(vrf)).toEqual([signer]);
  });

  test("have added cosignatories, and not removed ones", () => {
    const third = addressOfPublicKey(Buffer.alloc(32, 3), NETWORK);
    const modification = signed(new models.EmbeddedMultisigAccountModificationTransactionV1(), (t) => {
      t.addressAdditions = [unresolved(other)];
      t.addressDeletions = [unresolved(third)];
    });
    expect(texts(relatedAddresses(modification))).toEqual(texts([signer, other]));
  });

  test("include the target of an account's metadata, not of a mosaic's or a namespace's", () => {
    const classes = [
      [models.EmbeddedAccountMetadataTransactionV1, [signer, other]],
      [models.EmbeddedMosaicMetadataTransactionV1, [signer]],
      [models.EmbeddedNamespaceMetadataTransactionV1, [signer]],
    ] as const;
    for (const [entityClass, expected] of classes) {
      const metadata = signed(new entityClass(), (t) => {
        t.targetAddress = unresolved(other);
      });
      expect(texts(relatedAddresses(metadata))).toEqual(texts(expected));
    }
  });

  test("include the account that a mosaic is revoked from, and the recipient of a secret lock, but not of its proof", () => {
    const revocation = signed(new models.MosaicSupplyRevocationTransactionV1(), (t) => {
      t.sourceAddress = unresolved(other);
    });
    const lock = signed(new models.SecretLockTransactionV1(), (t) => {
      t.recipientAddress = unresolved(other);
    });
    const proof = signed(new models.SecretProofTransactionV1(), (t) => {
      t.recipientAddress = unresolved(other);
    });
    expect(texts(relatedAddresses(revocation))).toEqual(texts([signer, other]));
    expect(texts(relatedAddresses(lock))).toEqual(texts([signer, other]));
    expect(relatedAddresses(proof)).toEqual([signer]);
  });

  test("include the sink of a rental fee if it is known", () => {
    const sinks = { mosaic: Buffer.alloc(24, 0x98), namespace: Buffer.alloc(24, 0x9a) };
    const definition = signed(new models.MosaicDefinitionTransactionV1(), () => {});
    const registration = signed(new models.EmbeddedNamespaceRegistrationTransactionV1(), () => {});
    expect(relatedAddresses(definition)).toEqual([signer]);
    expect(texts(relatedAddresses(definition, sinks))).toEqual(texts([signer, sinks.mosaic]));
    expect(texts(relatedAddresses(registration, sinks))).toEqual(texts([signer, sinks.namespace]));
  });

  test("include those of an aggregate's embedded transactions, not of its cosigners", () => {
    const aggregate = signed(new models.AggregateCompleteTransactionV2(), (t) => {
      const transfer = new models.EmbeddedTransferTransactionV1();
      transfer.signerPublicKey.bytes.set(Buffer.alloc(32, 4));
      transfer.recipientAddress = unresolved(alias);
      t.transactions = [transfer];
      const cosignature = new models.Cosignature();
      cosignature.signerPublicKey.bytes.set(Buffer.alloc(32, 5));
      t.cosignatures = [cosignature];
    });
    const inner = addressOfPublicKey(Buffer.alloc(32, 4), NETWORK);
    expect(texts(relatedAddresses(aggregate))).toEqual(texts([signer, inner, alias]));
  });
});

describeRecorded("the topics of the recorded node's messages", (chain) => {
  const account = (name: string) => decodeAddress(chain.networkFile.accounts.find((one) => one.name === name)!.address);
  const network: NetworkIdentity = {
    ...chain.network,
    rentalFeeSinks: () => ({ mosaic: account("mosaicSink"), namespace: account("namespaceSink") }),
  };
  const topics = (letter: string) => {
    const byHash = new Map<string, { bytes: Buffer; addresses: Set<string> }>();
    for (const { frames } of chain.messages()) {
      const [topic, bytes, hash] = frames as [Buffer, Buffer, Buffer];
      if (topic.length !== 25 || topic[0] !== letter.charCodeAt(0)) continue;
      const known = byHash.get(hash.toString("hex")) ?? { bytes, addresses: new Set() };
      known.addresses.add(topic.subarray(1).toString("hex"));
      byHash.set(hash.toString("hex"), known);
    }
    return byHash;
  };
  const typesOf = (transaction: BlockTransaction) =>
    [transaction.entity, ...transaction.embedded.map((inner) => inner.entity)].map((entity) => entity.type);

  test("of unconfirmed transactions are the addresses in them, and the sinks", () => {
    const unconfirmed = topics("u");
    expect(unconfirmed.size).toBeGreaterThan(300);
    const types = new Set<number>();
    for (const [hash, { bytes, addresses }] of unconfirmed) {
      const transaction = decodeTransaction(bytes, network);
      expect(transaction.hash.toString("hex")).toBe(hash);
      expect(texts(transaction.relatedAddresses)).toEqual([...addresses].sort());
      for (const type of typesOf(transaction)) types.add(type);
    }
    // Every type was announced in these minutes.
    expect(types.size).toBe(25);
  });

  test.each([
    ["with the sinks of the settings", network],
    ["without any settings", chain.network],
  ])("of confirmed transactions also have the accounts behind aliases, %s", (_name, asked) => {
    const confirmed = topics("a");
    expect(confirmed.size).toBeGreaterThan(300);
    let compared = 0;
    let resolved = 0;
    for (const { block, statement } of chain.blocks()) {
      const { transactions } = verifyBlock({
        bytes: block,
        statementBytes: statement,
        network: asked,
        checkSignatures: false,
      });
      for (const transaction of transactions) {
        const addresses = confirmed.get(transaction.hash.toString("hex"))?.addresses;
        if (!addresses) continue;
        expect(texts(transaction.relatedAddresses)).toEqual([...addresses].sort());
        ++compared;
        if (transaction.relatedAddresses.some(isAliasAddress)) ++resolved;
      }
    }
    expect(compared).toBe(confirmed.size);
    expect(resolved).toBeGreaterThan(0);
  });
});
