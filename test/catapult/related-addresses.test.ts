import { expect, test } from "@jest/globals";
import { addressOfPublicKey, decodeAddress, isAliasAddress } from "../../catapult/entity/address.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import {
  aggregateContent,
  embeddedBytes,
  type TransactionContent,
  transferContent,
  unsignedTransaction,
} from "../../catapult/entity/transaction-writer.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { contentOf } from "../differential/transaction-content.js";
import { describeRecorded } from "../support/describe-chains.js";

/** Hex digits in ascending order. */
function texts(addresses: readonly Uint8Array[]): string[] {
  return addresses.map((address) => Buffer.from(address).toString("hex")).sort();
}

const KEY = Buffer.alloc(32, 1);
const OWN = { identifier: 152, generationHashSeed: Buffer.alloc(32) };
const [signer, other] = [1, 2].map((byte) => addressOfPublicKey(Buffer.alloc(32, byte), OWN.identifier)) as [
  Buffer,
  Buffer,
];

function decoded(content: TransactionContent): BlockTransaction {
  const terms = { network: OWN.identifier, signerPublicKey: KEY, maxFee: 0n, deadline: 0n };
  return decodeTransaction(unsignedTransaction(content, terms), OWN);
}

test("the addresses that a transaction concerns are named once each, and are in ascending order", () => {
  const paid = (to: Buffer) => decoded(transferContent(to, [], Buffer.alloc(0))).relatedAddresses;
  expect(paid(signer)).toEqual([signer]);
  expect(paid(other)).toEqual([signer, other].sort(Buffer.compare));
});

// In the recording, every mosaic and namespace is described by its owner.
test.each(["mosaic_metadata", "namespace_metadata"] as const)("the target of %s is none of them", (kind) => {
  const embedded = embeddedBytes(contentOf(kind, { targetAddress: other }), KEY, OWN.identifier);
  const aggregate = aggregateContent({ type: TRANSACTION_TYPE.aggregate_complete, version: 2 }, [embedded], []);
  expect(decoded(aggregate).embedded.map(({ relatedAddresses }) => relatedAddresses)).toEqual([[signer]]);
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
