import { beforeAll, describe, expect, test } from "@jest/globals";
import { Address, generateMosaicId } from "symbol-sdk/symbol";
import { encodeAddress } from "../../catapult/entity/address.js";
import { TRANSACTION } from "../../catapult/entity/entity-layout.js";
import { idText } from "../../catapult/json/format.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { BlockTransactionResponse, Currency, Operation } from "../../mesh/standard/schemas.js";
import { MeshClient } from "../support/mesh-client.js";
import {
  accountOf,
  type Constructed,
  Constructor,
  cosign,
  operationsOf,
  transfer,
} from "../support/mesh-construction.js";
import { RestStack } from "../support/rest-stack.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

const TOKEN_NONCE = 7;
const TOKEN_SUPPLY = 1_000_000n;
const EMPTY_SIGNATURE = "00".repeat(64);
const NO_HASH = "EF".repeat(32);

interface TransactionBody {
  readonly transaction: { readonly maxFee: string; readonly message?: string; readonly deadline: string };
  readonly meta: { readonly height: string };
}

describe("transactions that Mesh builds, on a devnet", () => {
  const stack = RestStack.use({
    followsBroker: true,
    gateway: { extensions: makeExtensions({ MESH_PATH: "/mesh" }) },
  });
  const mesh = new MeshClient(stack);
  let builder: Constructor;
  let currency: Currency;
  let token: Currency;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  let treasury: DevnetAccount;

  beforeAll(async () => {
    const { devnet } = stack.node;
    [alice, bob, carol, treasury] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount];
    builder = new Constructor(mesh, devnet.accounts);
    const tokenId = generateMosaicId(new Address(encodeAddress(alice.address)), TOKEN_NONCE);
    const id = idText(devnet.currencyMosaicId);
    currency = { symbol: "symbol.xym", decimals: 6, metadata: { id } };
    token = { symbol: idText(tokenId), decimals: 2, metadata: { id: idText(tokenId) } };
    const make = new TransactionMaker(devnet);
    const modification = {
      type: "multisig_account_modification_transaction_v1",
      minApprovalDelta: 2,
      minRemovalDelta: 2,
      addressAdditions: [bob, carol].map(({ address }) => encodeAddress(address)),
      addressDeletions: [],
    };
    for (const payload of [
      make.transaction(alice, {
        type: "mosaic_definition_transaction_v1",
        nonce: TOKEN_NONCE,
        id: tokenId,
        divisibility: 2,
        flags: "transferable",
        duration: 0n,
      }),
      make.transaction(alice, {
        type: "mosaic_supply_change_transaction_v1",
        mosaicId: tokenId,
        delta: TOKEN_SUPPLY,
        action: "increase",
      }),
      make.aggregate({
        signer: treasury,
        embedded: [make.embedded(treasury, modification)],
        cosigners: [bob, carol],
      }),
    ]) {
      devnet.announce(payload);
      await devnet.harvest(1);
    }
    await stack.caughtUp();
  });

  async function construct(operations: readonly Operation[], choices = {}): Promise<Constructed> {
    const { metadata, suggested_fee: fee } = await builder.metadata(operations, choices);
    const constructed = await builder.construct(operations, metadata);
    expect(constructed.parsed.operations.map(({ related_operations: _, ...rest }) => rest)).toEqual(operations);
    const { payload } = constructed;
    if (payload.length > 0) {
      expect(fee).toEqual([{ value: metadata.max_fee, currency }]);
      expect(String(payload.readBigUInt64LE(TRANSACTION.maxFee))).toBe(metadata.max_fee);
    }
    return constructed;
  }

  async function confirm(constructed: Constructed): Promise<TransactionBody> {
    expect(await builder.submit(constructed)).toBe(constructed.hash);
    await until(() => stack.node.devnet.isUnconfirmed(Buffer.from(constructed.hash, "hex")), "it is unconfirmed");
    const body = await confirmed(constructed.hash);
    await expectInBlock(constructed, Number(body.meta.height));
    return body;
  }

  /** The block has the operations of the request, whatever else it has. */
  async function expectInBlock({ hash, parsed }: Constructed, index: number): Promise<void> {
    const { transaction } = await mesh.ask<BlockTransactionResponse>("/block/transaction", {
      block_identifier: { index, hash: stack.node.devnet.block(index).hash.toString("hex").toUpperCase() },
      transaction_identifier: { hash },
    });
    const essential = ({ type, account, amount, metadata = {} }: Operation) => {
      const { message, message_hex } = metadata;
      return { type, account, amount, message, message_hex };
    };
    const inBlock = transaction.operations.map(essential);
    for (const operation of parsed.operations) {
      const { message, message_hex, ...rest } = essential(operation);
      const text = message ?? message_hex;
      expect(inBlock).toContainEqual(text === undefined ? expect.objectContaining(rest) : essential(operation));
    }
  }

  async function confirmed(hash: string): Promise<TransactionBody> {
    await stack.harvest();
    const { status, body } = await stack.get(`/transactions/confirmed/${hash}`);
    expect(status).toBe(200);
    return body;
  }

  const balance = (account: DevnetAccount, of = currency) =>
    stack.node.devnet.balanceOf(account.address, BigInt(`0x${of.metadata?.id}`));

  test("a transfer of two mosaics with a message is confirmed", async () => {
    const before = [balance(bob), balance(bob, token)] as const;
    const sums = [
      { value: 1_250_000n, currency },
      { value: 42n, currency: token },
    ].toSorted((a, b) => (String(a.currency.metadata?.id) < String(b.currency.metadata?.id) ? -1 : 1));
    const { transaction } = await confirm(
      await construct(operationsOf(transfer(alice, bob, sums, { message: "Rechnung № 5" }))),
    );
    expect(Buffer.from(transaction.message ?? "", "hex").toString()).toBe("\0Rechnung № 5");
    expect([balance(bob), balance(bob, token)]).toEqual([before[0] + 1_250_000n, before[1] + 42n]);
  });

  test("a message without mosaics is confirmed", async () => {
    const before = balance(bob);
    const messages: Record<string, string>[] = [{ message: "nothing but this" }, { message_hex: "01ABCDEF" }];
    for (const message of messages) {
      await confirm(await construct(operationsOf(transfer(alice, bob, [{ value: 0n, currency }], message))));
    }
    expect(balance(bob)).toBe(before);
  });

  test("an aggregate of two senders is confirmed; the first signer pays", async () => {
    const before = [balance(alice), balance(bob)] as const;
    const operations = operationsOf(
      transfer(alice, carol, [{ value: 5n, currency }]),
      transfer(bob, carol, [{ value: 6n, currency }]),
      cosign(bob, alice),
    );
    const { transaction } = await confirm(await construct(operations));
    expect(balance(alice)).toBe(before[0] - 5n);
    const paid = before[1] - 6n - balance(bob);
    expect(paid).toBeGreaterThan(0n);
    expect(paid).toBeLessThanOrEqual(BigInt(transaction.maxFee));
  });

  test("a transfer of a multisig account is confirmed with both of its cosigners", async () => {
    const before = balance(treasury);
    await confirm(
      await construct(operationsOf(transfer(treasury, alice, [{ value: 100n, currency }]), cosign(bob, carol))),
    );
    expect(balance(treasury)).toBe(before - 100n);
  });

  test("a bonded aggregate is confirmed with its hash lock, and with a cosignature that is announced later", async () => {
    const { devnet } = stack.node;
    const before = balance(treasury);
    const bonded = await construct(operationsOf(transfer(treasury, alice, [{ value: 200n, currency }]), cosign(bob)), {
      aggregate: "bonded",
    });
    const lock = operationsOf([
      {
        type: "hash_lock_created",
        account: accountOf(bob),
        amount: { value: "-10000000", currency },
        metadata: { aggregate_hash: bonded.hash, duration: 100 },
      },
    ]);
    await confirm(await construct(lock));
    const cosignature = operationsOf([
      { type: "cosign", account: accountOf(carol), metadata: { aggregate_hash: bonded.hash } },
    ]);
    expect(await mesh.fail("/construction/metadata", { options: { aggregate_hash: bonded.hash } })).toMatchObject({
      code: 31,
      retriable: true,
    });
    expect(await builder.submit(bonded)).toBe(bonded.hash);
    await until(() => devnet.isPartial(Buffer.from(bonded.hash, "hex")), "the aggregate is partial");
    await until(
      async () => (await stack.get(`/transactions/partial/${bonded.hash}`)).status === 200,
      "the index has the partial aggregate",
    );
    await confirm(await construct(cosignature));
    expect(balance(treasury)).toBe(before - 200n);
  });

  test("the fee follows what the client chooses, the deadline what the network allows", async () => {
    const operations = operationsOf(transfer(alice, bob, [{ value: 1n, currency }]));
    const feeOf = async (choices: object) =>
      BigInt(String((await builder.metadata(operations, choices)).metadata.max_fee));
    const usual = await feeOf({});
    expect(await feeOf({ suggested_fee_multiplier: 2.5 })).toBe((usual * 5n) / 2n);
    expect(await feeOf({ max_fee: String(usual + 1n) })).toBe(usual);
    expect(await feeOf({ suggested_fee_multiplier: 2, max_fee: String(usual + 1n) })).toBe(usual + 1n);
    const { options } = await mesh.ask<{ options: object }>("/construction/preprocess", { operations });
    const fail = (changed: object) => mesh.fail("/construction/metadata", { options: { ...options, ...changed } });
    expect(await fail({ max_fee: "1" })).toMatchObject({ code: 29 });
    expect(await fail({ lifetime_seconds: 6 * 3600 + 1 })).toMatchObject({ code: 28, details: { maximum: 6 * 3600 } });
    expect(await fail({ lifetime_seconds: 0 })).toMatchObject({ code: 4 });
    expect(await fail({ size: -1 })).toMatchObject({ code: 4 });
    expect(await fail({ decimals: { [token.symbol]: 3 } })).toMatchObject({
      code: 23,
      details: { expected: 2 },
    });
    expect(await fail({ decimals: { "0000000000000001": 0 } })).toMatchObject({
      code: 22,
    });
    expect(await mesh.fail("/construction/metadata", { options: { aggregate_hash: NO_HASH } })).toMatchObject({
      code: 31,
    });
  });

  test("what can never be valid is not announced, and its error names the network's status", async () => {
    const operations = operationsOf(transfer(alice, bob, [{ value: 1n, currency }]));
    const { metadata } = await builder.metadata(operations, { aggregate: "complete" });
    const early = await builder.construct(operations, { ...metadata, aggregate_version: 1 });
    expect(await mesh.fail("/construction/submit", { signed_transaction: early.text })).toMatchObject({
      code: 30,
      details: { status: "Failure_Aggregate_V1_Prohibited" },
    });
    const far = await builder.construct(operations, { ...metadata, deadline: String(2n ** 62n) });
    expect(await mesh.fail("/construction/submit", { signed_transaction: far.text })).toMatchObject({
      code: 30,
      details: { status: "Failure_Core_Future_Deadline" },
    });
    expect(stack.node.devnet.unconfirmedCount).toBe(0);
    const twoSigners = operationsOf(transfer(treasury, bob, [{ value: 1n, currency }]), cosign(bob, carol));
    const { parsed, text } = await construct(twoSigners);
    expect(parsed.metadata).toMatchObject({ missing_signers: [] });
    const { payload } = JSON.parse(text) as { payload: string };
    const incomplete = JSON.stringify({ payload: payload.slice(0, -EMPTY_SIGNATURE.length) + EMPTY_SIGNATURE });
    expect(await mesh.fail("/construction/submit", { signed_transaction: incomplete })).toMatchObject({
      code: 27,
      details: { missing_signers: [accountOf(carol)] },
    });
  });
});
