import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Hash256, PrivateKey, PublicKey as SdkPublicKey } from "symbol-sdk";
import { KeyPair, models, Network, SymbolFacade } from "symbol-sdk/symbol";
import { derivePublicKey as keyOfPrivate } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import { startOfflineMesh } from "../../mesh/offline.js";
import { builtInNetwork } from "../../mesh/standard/built-in-network.js";
import type { ConstructionPayloadsResponse, Operation, PublicKey } from "../../mesh/standard/schemas.js";
import { silentLog } from "../support/connection-fixtures.js";
import { MeshClient } from "../support/mesh-client.js";
import {
  accountOf,
  Constructor,
  cosign,
  operationsOf,
  publicKeyOf,
  type Sum,
  signAll,
  transfer,
  withoutRelations,
} from "../support/mesh-construction.js";
import type { Party } from "../support/transaction-maker.js";

const network = builtInNetwork("testnet");
const { currency } = network;
const gold = { symbol: "0123456789ABCDEF", decimals: 2, metadata: { id: "0123456789ABCDEF" } };
const silver = { symbol: "7123456789ABCDEF", decimals: 0, metadata: { id: "7123456789ABCDEF" } };
const [alice, bob, carol, dave] = ["alice", "bob", "carol", "dave"].map(partyOf) as [Party, Party, Party, Party];
const parties = [alice, bob, carol, dave];
/** An hour ahead, in ms of the network. */
const deadline = Date.now() - network.epochAdjustment + 3_600_000;
const terms = { max_fee: "123456", deadline: String(deadline), aggregate_version: 3 };
const aggregateHash = "AB".repeat(32);

function partyOf(name: string): Party {
  const privateKey = sha3(Buffer.from(name));
  const publicKey = keyOfPrivate(privateKey);
  return { privateKey, publicKey, address: addressOfPublicKey(publicKey, network.addressPrefix) };
}

/** The same transactions, built and signed by `symbol-sdk`. */
const facade = new SymbolFacade(
  new Network(
    "testnet",
    network.addressPrefix,
    new Date(network.epochAdjustment),
    new Hash256(network.generationHashSeed),
  ),
);

type Json = Readonly<Record<string, unknown>>;

function sdkTransfer(to: Party, mosaics: readonly { id: string; amount: bigint }[], message?: Buffer): Json {
  return {
    type: "transfer_transaction_v1",
    recipientAddress: encodeAddress(to.address),
    mosaics: mosaics.map(({ id, amount }) => ({ mosaicId: BigInt(`0x${id}`), amount })),
    ...(message && { message: new Uint8Array(message) }),
  };
}

function sdkSigned(signer: Party, json: Json, cosigners: readonly Party[] = []) {
  const entity = facade.transactionFactory.create(
    {
      signerPublicKey: new SdkPublicKey(new Uint8Array(signer.publicKey)),
      deadline: BigInt(deadline),
      fee: 123456n,
      ...json,
    },
    true,
  ) as models.AggregateCompleteTransactionV3;
  const keyPair = (party: Party) => new KeyPair(new PrivateKey(new Uint8Array(party.privateKey)));
  entity.signature = new models.Signature(facade.signTransaction(keyPair(signer), entity).bytes);
  for (const cosigner of cosigners) {
    entity.cosignatures.push(facade.cosignTransaction(keyPair(cosigner), entity, false) as models.Cosignature);
  }
  return { payload: Buffer.from(entity.serialize()).toString("hex"), hash: facade.hashTransaction(entity).toString() };
}

function sdkAggregate(kind: "bonded" | "complete", inner: readonly (readonly [Party, Json])[]): Json {
  const transactions = inner.map(([signer, json]) =>
    facade.transactionFactory.createEmbedded({ signerPublicKey: signer.publicKey.toString("hex"), ...json }, true),
  );
  const transactionsHash = SymbolFacade.hashEmbeddedTransactions(transactions).bytes;
  return { type: `aggregate_${kind}_transaction_v3`, transactionsHash, transactions };
}

const id = String(currency.metadata?.id);
const one = { value: 1_500_000n, currency };
const plain = Buffer.from("\0Invoice 17 – grüezi 🙂");
const lines = { message: "Invoice 17 – grüezi 🙂" };

const toBob = sdkTransfer(bob, [{ id, amount: 1_500_000n }]);
const goldSdk = { id: gold.symbol, amount: 7n };
const silverSdk = { id: silver.symbol, amount: 9n };
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const inOrder = (sums: readonly Sum[]) =>
  sums.toSorted((a, b) => byId(a.currency.metadata as { id: string }, b.currency.metadata as { id: string }));

interface Case {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly choices?: Json;
  /** The signer and the cosigners sign, in this order. */
  readonly sdk: readonly [signer: Party, json: Json, cosigners?: readonly Party[]];
}

const cases: readonly Case[] = [
  { name: "a transfer", operations: operationsOf(transfer(alice, bob, [one])), sdk: [alice, toBob] },
  {
    name: "a transfer of three mosaics with a message",
    operations: operationsOf(
      transfer(alice, bob, inOrder([{ value: 7n, currency: gold }, { value: 9n, currency: silver }, one]), lines),
    ),
    sdk: [alice, sdkTransfer(bob, [goldSdk, silverSdk, { id, amount: 1_500_000n }].toSorted(byId), plain)],
  },
  {
    name: "a transfer of a message that is no text",
    operations: operationsOf(transfer(alice, bob, [{ value: 0n, currency }], { message_hex: "01FF00AA" })),
    sdk: [alice, sdkTransfer(bob, [], Buffer.from("01FF00AA", "hex"))],
  },
  {
    name: "an aggregate of one sender",
    operations: operationsOf(
      transfer(alice, bob, [one]),
      transfer(alice, carol, [one], lines),
      transfer(alice, bob, [one]),
    ),
    sdk: [
      alice,
      sdkAggregate("complete", [
        [alice, toBob],
        [alice, sdkTransfer(carol, [{ id, amount: 1_500_000n }], plain)],
        [alice, toBob],
      ]),
    ],
  },
  {
    name: "an aggregate of two senders",
    operations: operationsOf(
      transfer(alice, bob, [one]),
      transfer(bob, alice, [{ value: 9n, currency: silver }]),
      cosign(bob, alice),
    ),
    sdk: [
      bob,
      sdkAggregate("complete", [
        [alice, toBob],
        [bob, sdkTransfer(alice, [silverSdk])],
      ]),
      [alice],
    ],
  },
  {
    name: "a transfer of a multisig account with three cosigners",
    operations: operationsOf(transfer(alice, bob, [one]), cosign(bob, carol, dave)),
    sdk: [bob, sdkAggregate("complete", [[alice, toBob]]), [carol, dave]],
  },
  {
    name: "a bonded aggregate",
    operations: operationsOf(transfer(alice, bob, [one]), cosign(carol)),
    choices: { aggregate: "bonded" },
    sdk: [carol, sdkAggregate("bonded", [[alice, toBob]])],
  },
  {
    name: "a hash lock",
    operations: hashLock("-10000000", 480),
    sdk: [
      alice,
      {
        type: "hash_lock_transaction_v1",
        mosaic: { mosaicId: BigInt(`0x${id}`), amount: 10_000_000n },
        duration: 480n,
        hash: new Hash256(aggregateHash).bytes,
      },
    ],
  },
];

function hashLock(value: string, duration: number): Operation[] {
  const metadata = { aggregate_hash: aggregateHash, duration };
  return operationsOf([
    { type: "hash_lock_created", account: accountOf(alice), amount: { value, currency }, metadata },
  ]);
}

describe("Mesh of the test network, offline", () => {
  let gateway: Awaited<ReturnType<typeof startOfflineMesh>>;
  let mesh: MeshClient;
  let builder: Constructor;

  beforeAll(async () => {
    gateway = await startOfflineMesh({
      network,
      path: "/mesh",
      port: 0,
      version: "1.2.3",
      log: silentLog,
    });
    mesh = new MeshClient(`http://127.0.0.1:${gateway.port}/mesh`);
    builder = new Constructor(mesh, parties);
  });

  afterAll(() => gateway?.stop());

  test("lists its network", async () => {
    expect(await mesh.network()).toEqual({ blockchain: "Symbol", network: "testnet" });
  });

  test("says of all endpoints that need a database or a node that it is offline", async () => {
    const offline = { code: 13, retriable: false };
    expect(await mesh.fail("/network/status")).toMatchObject(offline);
    expect(await mesh.fail("/network/options")).toMatchObject(offline);
    expect(await mesh.fail("/block", { block_identifier: { index: 1 } })).toMatchObject(offline);
    const account_identifier = accountOf(alice);
    expect(await mesh.fail("/account/balance", { account_identifier })).toMatchObject(offline);
    const { status, body } = await mesh.send("/nosuch", {});
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 12 } });
  });

  test.each([null, ""])("members that a typed client writes as %p are not set", async (value) => {
    const ask = (operations: readonly Operation[], metadata: object) =>
      mesh.ask("/construction/preprocess", { operations, metadata });
    const [debit, credit] = operationsOf(transfer(alice, bob, [one]));
    const plainOnes = await ask([debit!, credit!], {});
    // An empty message is a message.
    const unset = { message: null, message_hex: value };
    const choices = { max_fee: value, suggested_fee_multiplier: value, aggregate: value, lifetime_seconds: value };
    expect(
      await ask(
        [
          { ...debit!, metadata: unset },
          { ...credit!, metadata: {} },
        ],
        choices,
      ),
    ).toEqual(plainOnes);
  });

  test("derives the address of a public key", async () => {
    expect(await mesh.ask("/construction/derive", { public_key: publicKeyOf(alice) })).toEqual({
      account_identifier: {
        address: facade.network.publicKeyToAddress(new SdkPublicKey(new Uint8Array(alice.publicKey))).toString(),
      },
    });
  });

  test.each(cases)("builds $name with the bytes and the hash of symbol-sdk, and parses it", async (one) => {
    const { operations, choices = {}, sdk } = one;
    const { payload, hash, parsed } = await builder.construct(operations, { ...terms, ...choices });
    const expected = sdkSigned(...sdk);
    const [signer, , cosigners = []] = sdk;
    expect(payload.toString("hex")).toBe(expected.payload.toLowerCase());
    expect(hash).toBe(expected.hash);
    expect(withoutRelations(parsed.operations)).toEqual(operations);
    expect(parsed.account_identifier_signers).toEqual([signer, ...cosigners].map(accountOf));
    expect(parsed.metadata).toMatchObject({ max_fee: "123456", deadline: String(deadline), hash, missing_signers: [] });
    const { options } = await mesh.ask<{ options: { size: number } }>("/construction/preprocess", {
      operations,
      metadata: choices,
    });
    expect(options.size).toBe(payload.length);
  });

  test("signs a pending aggregate", async () => {
    const operations = operationsOf([
      { type: "cosign", account: accountOf(bob), metadata: { aggregate_hash: aggregateHash } },
    ]);
    const { text, hash, parsed } = await builder.construct(operations, {});
    expect(parsed.operations).toEqual(operations);
    expect(parsed.account_identifier_signers).toEqual([accountOf(bob)]);
    expect(hash).toBe(aggregateHash);
    const { cosignature } = JSON.parse(text) as { cosignature: string };
    const keyPair = new KeyPair(new PrivateKey(new Uint8Array(bob.privateKey)));
    const expected = SymbolFacade.cosignTransactionHash(keyPair, new Hash256(aggregateHash), true).serialize();
    expect(cosignature.toLowerCase()).toBe(Buffer.from(expected).toString("hex"));
  });

  test("cosigners may sign apart, in any order", async () => {
    // The transaction has its mosaics in the order of their ids, the request need not.
    const sums = [one, { value: 3n, currency: silver }];
    const operations = operationsOf(transfer(alice, bob, sums), cosign(bob, carol, dave));
    const public_keys = parties.map(publicKeyOf);
    const round = async (metadata: Json, signer: Party) => {
      const { unsigned_transaction, payloads } = await mesh.ask<ConstructionPayloadsResponse>(
        "/construction/payloads",
        { operations, metadata, public_keys },
      );
      const mine = payloads.filter((payload) => payload.account_identifier?.address === encodeAddress(signer.address));
      const body = { unsigned_transaction, signatures: signAll(mine, [signer]) };
      return (await mesh.ask<{ signed_transaction: string }>("/construction/combine", body)).signed_transaction;
    };
    const first = await round(terms, bob);
    expect(await mesh.fail("/construction/submit", { signed_transaction: first })).toMatchObject({ code: 27 });
    const second = await round({ signed_transaction: first }, dave);
    expect((await builder.parse(second, true)).metadata).toMatchObject({ missing_signers: [accountOf(carol)] });
    const third = await round({ signed_transaction: second }, carol);
    expect((await builder.parse(third, true)).account_identifier_signers).toEqual([bob, carol, dave].map(accountOf));
    expect(await mesh.fail("/construction/submit", { signed_transaction: third })).toMatchObject({ code: 13 });
  });

  describe("rejects", () => {
    const good = operationsOf(transfer(alice, bob, [one]));
    const [debit, credit] = transfer(alice, bob, [one]);
    const at = (index: number, change: Partial<Operation>): Operation[] =>
      good.map((operation, place) => (place === index ? { ...operation, ...change } : operation));
    const amount = (index: number, value: string, of = currency) => at(index, { amount: { value, currency: of } });
    const ofOtherNetwork = { address: encodeAddress(addressOfPublicKey(bob.publicKey, 104)) };
    const subAccount = { ...accountOf(alice), sub_account: { address: "x" } };
    const alias = { symbol: "E74B99BA41F4AFEE", decimals: 2, metadata: { id: "E74B99BA41F4AFEE" } };
    const lowerCase = { aggregate_hash: aggregateHash.toLowerCase() };
    const both = { message: "x", message_hex: "00" };
    const strangers = (count: number) => Array.from({ length: count }, (_, n) => partyOf(String(n)));
    const [ofFirst, ofSecond] = [transfer(alice, bob, [one]), transfer(bob, carol, [one])];

    /** The code of the error, and the member that it names, or other details. */
    const invalidOperations: readonly (readonly [string, readonly Operation[], number, (string | Json)?])[] = [
      ["no operations", [], 4, "operations"],
      ["a debit without its credit", good.slice(0, 1), 21, "operations[0]"],
      ["a sum that is not zero", amount(1, "1499999"), 21, "operations[1]"],
      ["another currency of the credit", amount(1, "1500000", gold), 21, "operations[1]"],
      ["a credit before its debit", operationsOf([credit!, debit!]), 21, "operations[0]"],
      ["positions that are not in order", good.toReversed(), 4, "operations[0].operation_identifier.index"],
      ["an amount with a plus sign", amount(0, "+1"), 4, "operations[0].amount.value"],
      ["an amount of 2^63", amount(0, "-9223372036854775808"), 4, "operations[0].amount.value"],
      ["a fraction", amount(0, "-1.5"), 4, "operations[0].amount.value"],
      [
        "zero of another mosaic",
        operationsOf(transfer(alice, bob, [{ value: 0n, currency: gold }])),
        4,
        "operations[0].amount.value",
      ],
      ["an unknown symbol", amount(0, "-1", { ...gold, symbol: "gold" }), 4],
      ["a currency without its id", amount(0, "-1", { symbol: gold.symbol, decimals: 2 } as never), 22],
      [
        "another id of the network's currency",
        amount(0, "-1", { ...currency, metadata: gold.metadata }),
        4,
        "operations[0].amount.currency.metadata.id",
      ],
      ["a namespace as currency", amount(0, "-1", alias), 4, "operations[0].amount.currency.symbol"],
      ["other decimals of the network's currency", amount(0, "-1", { ...currency, decimals: 5 }), 23, { expected: 6 }],
      ["more than 6 decimals", amount(0, "-1", { ...gold, decimals: 7 }), 23, { maximum: 6 }],
      ["another network's address", at(1, { account: ofOtherNetwork }), 9],
      ["no address", at(1, { account: { address: "BOB" } }), 9],
      ["no account", at(1, { account: undefined }), 4, "operations[1].account"],
      ["a sub-account", at(0, { account: subAccount }), 4, "operations[0].account.sub_account"],
      ["a status", at(0, { status: "SUCCESS" }), 4, "operations[0].status"],
      [
        "a later related operation",
        at(0, { related_operations: [{ index: 1 }] }),
        4,
        "operations[0].related_operations",
      ],
      ["an unknown type", at(0, { type: "mint" }), 20, "operations[0].type"],
      ["unknown metadata", at(0, { metadata: { memo: "x" } }), 4, "operations[0].metadata"],
      ["a message of the credit", at(1, { metadata: { message: "x" } }), 4, "operations[1].metadata"],
      ["two messages", at(0, { metadata: both }), 4, "operations[0].metadata"],
      ["half a byte", at(0, { metadata: { message_hex: "0" } }), 4, "operations[0].metadata.message_hex"],
      ["a message of 1025 bytes", at(0, { metadata: { message: "x".repeat(1024) } }), 4, "operations[0].metadata"],
      ["two senders without cosign operations", operationsOf(ofFirst, ofSecond), 20],
      ["a cosign operation of the only sender", operationsOf(ofFirst, cosign(alice)), 20],
      ["one cosigner twice", operationsOf(ofFirst, cosign(bob, bob)), 4],
      ["a transfer after a cosign operation", operationsOf(cosign(bob), ofFirst), 20],
      ["26 cosigners", operationsOf(ofFirst, cosign(...strangers(26))), 4],
      ["101 transfers", operationsOf(...strangers(101).map((to) => transfer(alice, to, [one]))), 4],
      ["1001 operations", operationsOf(cosign(...Array.from({ length: 1001 }, () => bob))), 4],
      [
        "a lower-case hash of an aggregate",
        operationsOf([{ type: "cosign", account: accountOf(bob), metadata: lowerCase }]),
        4,
      ],
      ["a cosign operation without a hash", operationsOf(cosign(bob)), 4, "operations[0].metadata.aggregate_hash"],
      ["a hash lock that is a credit", hashLock("1", 1), 4],
    ];

    test.each(invalidOperations)("%s", async (_name, operations, code, named = {}) => {
      const details = typeof named === "string" ? { member: named } : named;
      for (const [path, request] of [
        ["/construction/preprocess", { operations }],
        ["/construction/payloads", { operations, metadata: terms }],
      ] as const)
        expect({ path, ...(await mesh.fail(path, request)) }).toMatchObject({ path, code, details });
    });

    const invalidMetadata: readonly (readonly [string, Json, number])[] = [
      ["a deadline in the past", { ...terms, deadline: String(Date.now() - network.epochAdjustment - 1) }, 28],
      ["no fee", { deadline: terms.deadline, aggregate_version: 3 }, 4],
      ["a fee of 2^64", { ...terms, max_fee: "18446744073709551616" }, 4],
      ["a negative deadline", { ...terms, deadline: "-1" }, 4],
      ["an unknown kind of aggregate", { ...terms, aggregate: "partial" }, 4],
      ["unknown members", { ...terms, nonce: 1 }, 4],
    ];

    test.each(invalidMetadata)("%s in the metadata", async (_name, metadata, code) => {
      const body = { operations: good, metadata, public_keys: [publicKeyOf(alice)] };
      expect(await mesh.fail("/construction/payloads", body)).toMatchObject({ code });
    });

    test("other networks, curves and keys, and too many keys", async () => {
      const key = publicKeyOf(alice);
      const derive = (change: Json) => ["/construction/derive", { public_key: { ...key, ...change } }] as const;
      const ofMain = { network_identifier: { blockchain: "Symbol", network: "mainnet" }, public_key: key };
      const payloads = (...public_keys: PublicKey[]) =>
        ["/construction/payloads", { operations: good, metadata: terms, public_keys }] as const;
      for (const [[path, request], expected] of [
        [["/construction/derive", ofMain], { code: 1 }],
        [derive({ curve_type: "secp256k1" }), { code: 2 }],
        [derive({ hex_bytes: "00".repeat(32) }), { code: 3 }],
        [derive({ hex_bytes: key.hex_bytes.slice(2) }), { code: 3 }],
        // no point of the curve has this coordinate
        [derive({ hex_bytes: `02${"00".repeat(31)}` }), { code: 3 }],
        [payloads(publicKeyOf(bob)), { code: 24, details: { account: encodeAddress(alice.address) } }],
        [payloads(...Array.from({ length: 126 }, () => key)), { code: 4, details: { member: "public_keys" } }],
      ] as const)
        expect({ path, ...(await mesh.fail(path, request)) }).toMatchObject({ path, ...expected });
    });

    test("signatures that are not those of the signers", async () => {
      const body = { operations: good, metadata: terms, public_keys: [publicKeyOf(alice)] };
      const { unsigned_transaction, payloads } = await mesh.ask<ConstructionPayloadsResponse>(
        "/construction/payloads",
        body,
      );
      const [signature] = signAll(payloads, [alice]);
      for (const [signatures, code] of [
        [[], 4],
        [[signature, signature], 4],
        [[{ ...signature, signature_type: "ecdsa" }], 2],
        [[{ ...signature, public_key: publicKeyOf(bob) }], 26],
        [[{ ...signature, hex_bytes: "00".repeat(64) }], 26],
        [[{ ...signature, hex_bytes: "00" }], 4],
        [[{ ...signature, signing_payload: { hex_bytes: "00" } }], 26],
      ] as const) {
        const error = await mesh.fail("/construction/combine", { unsigned_transaction, signatures });
        expect({ signatures, ...error }).toMatchObject({ signatures, code });
      }
      const parse = { transaction: unsigned_transaction, signed: true };
      expect(await mesh.fail("/construction/parse", parse)).toMatchObject({ code: 27 });
      const hash = { signed_transaction: unsigned_transaction };
      expect(await mesh.fail("/construction/hash", hash)).toMatchObject({ code: 27 });
    });

    test("texts that it did not return, and transactions that its operations do not describe", async () => {
      const { text, payload } = await builder.construct(good, terms);
      const parsed = (transaction: string) => mesh.fail("/construction/parse", { transaction, signed: true });
      const flipped = (at: number) => {
        const bytes = Buffer.from(payload);
        bytes[at]! ^= 1;
        return JSON.stringify({ payload: bytes.toString("hex").toUpperCase() });
      };
      for (const [transaction, code] of [
        ["", 25],
        [JSON.stringify({ payload: "00".repeat(200_000) }), 25],
        ["null", 25],
        ["{}", 25],
        [text.toLowerCase(), 25],
        [text.slice(0, -4), 25],
        [JSON.stringify({ ...JSON.parse(text), extra: 1 }), 25],
        [JSON.stringify({ ...JSON.parse(text), decimals: { [gold.symbol]: 2 } }), 25],
        [JSON.stringify({ cosignature: "00" }), 25],
        // reserved bytes, network, type, recipient
        [flipped(4), 25],
        [flipped(109), 25],
        [flipped(110), 25],
        [flipped(130), 25],
        // signature, fee, amount
        [flipped(8), 26],
        [flipped(112), 26],
        [flipped(payload.length - 8), 26],
      ] as const) {
        expect({ transaction, ...(await parsed(transaction)) }).toMatchObject({ transaction, code });
      }
      const others = [
        sdkSigned(alice, {
          type: "account_key_link_transaction_v1",
          linkedPublicKey: bob.publicKey.toString("hex"),
          linkAction: "link",
        }),
        sdkSigned(alice, { ...sdkTransfer(bob, []), mosaics: [{ mosaicId: 0xe74b99ba41f4afeen, amount: 1n }] }),
        sdkSigned(alice, sdkTransfer(bob, [{ id: "0123456789ABCDEF", amount: 1n }])),
        // two transfers whose operations are those of one
        sdkSigned(
          alice,
          sdkAggregate("complete", [
            [alice, sdkTransfer(bob, [{ id, amount: 1n }])],
            [alice, sdkTransfer(bob, [])],
            [alice, sdkTransfer(bob, [{ id, amount: 0n }])],
          ]),
        ),
      ];
      for (const { payload: bytes } of others) {
        expect(await parsed(JSON.stringify({ payload: bytes.toUpperCase() }))).toMatchObject({ code: 25 });
      }
    });

    test("a second round with other operations, or with nothing to sign", async () => {
      const operations = operationsOf(transfer(alice, bob, [one]), cosign(bob, carol));
      const public_keys = parties.map(publicKeyOf);
      const { text } = await builder.construct(operations, terms);
      const again = (signed_transaction: string, of: readonly Operation[] = operations) =>
        mesh.fail("/construction/payloads", { operations: of, public_keys, metadata: { signed_transaction } });
      expect(await again(text)).toMatchObject({ code: 25, details: { problem: "all signatures are present" } });
      expect(await again(text, good)).toMatchObject({ code: 25, details: { problem: "it has other operations" } });
      expect(await again("{}")).toMatchObject({ code: 25 });
    });
  });
});
