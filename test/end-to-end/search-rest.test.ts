import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress, encodeAliasAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { publishedApi } from "../support/openapi.js";
import { RestClient } from "../support/rest-client.js";
import { RestStack } from "../support/rest-stack.js";
import { type Descriptor, TransactionMaker } from "../support/transaction-maker.js";

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
type Body = any;

const NAME = "carol";
const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
const idText = (id: bigint) => id.toString(16).toUpperCase().padStart(16, "0");
const bytes = (buffer: Buffer) => new Uint8Array(buffer);

describe("searches of confirmed transactions over REST", () => {
  const api = publishedApi();
  let stack: RestStack;
  let rest: RestClient;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  let dave: DevnetAccount;
  let currency: bigint;
  let other: bigint;
  /** Name of each transaction by its hash; they are in blocks 2 to 4. */
  const names = new Map<string, string>();

  beforeAll(async () => {
    stack = await RestStack.start({
      populate: async ({ devnet }) => {
        const make = new TransactionMaker(devnet);
        [alice, bob, carol, dave] = devnet.accounts as [DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount];
        currency = devnet.currencyMosaicId;
        other = generateMosaicId(alice.address, 5);
        const mine = async (payloads: Readonly<Record<string, Buffer>>) => {
          for (const [name, payload] of Object.entries(payloads)) {
            names.set(hex(make.hashOf(payload)), name);
            devnet.announce(payload);
          }
          await devnet.harvest(1);
          for (const payload of Object.values(payloads)) expect(devnet.isConfirmed(make.hashOf(payload))).toBe(true);
        };
        const definition = { type: "mosaic_definition_transaction_v1", nonce: 5, id: other, divisibility: 0 };
        const root = { type: "namespace_registration_transaction_v1", registrationType: "root", name: NAME };
        const namespaceId = namespaceIdOf(NAME);
        await mine({
          setup: make.aggregate({
            signer: alice,
            embedded: [
              { ...definition, flags: "transferable", duration: 0n },
              { type: "mosaic_supply_change_transaction_v1", mosaicId: other, delta: 1000n, action: "increase" },
            ].map((one) => make.embedded(alice, one)),
          }),
          naming: make.aggregate({
            signer: carol,
            embedded: [
              { ...root, id: namespaceId, duration: 1000n },
              {
                type: "address_alias_transaction_v1",
                namespaceId,
                address: bytes(carol.address),
                aliasAction: "link",
              },
            ].map((one) => make.embedded(carol, one)),
          }),
        });
        await mine({
          // Much of the currency and little of the other one.
          both: make.transaction(
            alice,
            pay(bob.address, [
              [currency, 1000n],
              [other, 5n],
            ]),
          ),
          much: make.transaction(alice, pay(bob.address, [[other, 500n]])),
          toName: make.transaction(
            alice,
            pay(encodeAliasAddress(namespaceId, devnet.network.identifier), [[currency, 1n]]),
          ),
        });
        await mine({
          // Dave signs, but is named in nothing else.
          cosigned: make.aggregate({
            signer: alice,
            embedded: [
              make.embedded(alice, pay(bob.address, [[currency, 7n]])),
              make.embedded(dave, pay(alice.address, [[currency, 8n]])),
            ],
            cosigners: [dave],
          }),
        });
      },
    });
    rest = new RestClient(stack.url, api);
  });

  afterAll(() => stack?.stop());

  function pay(recipient: Buffer, mosaics: readonly (readonly [bigint, bigint])[]): Descriptor {
    return {
      type: "transfer_transaction_v1",
      recipientAddress: bytes(recipient),
      mosaics: mosaics.map(([mosaicId, amount]) => ({ mosaicId, amount })).sort(byId),
    };
  }

  function byId(a: { mosaicId: bigint }, b: { mosaicId: bigint }): number {
    return a.mosaicId < b.mosaicId ? -1 : 1;
  }

  /** Names of the results above the first block, oldest first; `name/n` for embedded ones. */
  async function find(query: Record<string, string | number>): Promise<string[]> {
    const { data } = await rest.page<Body>("/transactions/confirmed", {
      order: "asc",
      pageSize: 100,
      fromHeight: 2,
      ...query,
    });
    return data.map(({ meta }) =>
      meta.hash ? (names.get(meta.hash) ?? "?") : `${names.get(meta.aggregateHash)}/${meta.index}`,
    );
  }

  test("amounts are those of the requested mosaic", async () => {
    const transferMosaicId = idText(other);
    expect(await find({ transferMosaicId })).toEqual(["both", "much"]);
    expect(await find({ transferMosaicId, fromTransferAmount: 100 })).toEqual(["much"]);
    expect(await find({ transferMosaicId, toTransferAmount: 100 })).toEqual(["both"]);
    expect(await find({ transferMosaicId, fromTransferAmount: 5, toTransferAmount: 500 })).toEqual(["both", "much"]);
    const ofCurrency = { transferMosaicId: idText(currency), embedded: "true" };
    expect(await find({ ...ofCurrency, fromTransferAmount: 2, toTransferAmount: 7 })).toEqual(["cosigned/0"]);
    expect(await find({ ...ofCurrency, fromTransferAmount: 900 })).toEqual(["both"]);
  });

  test("an address finds transfers to its name, aggregates it cosigned, and embedded transactions", async () => {
    expect(await find({ address: encodeAddress(carol.address) })).toEqual(["naming", "toName"]);
    const alias = encodeAliasAddress(namespaceIdOf(NAME), stack.node.devnet.network.identifier);
    expect(await find({ address: encodeAddress(alias) })).toEqual(["toName"]);
    expect(await find({ recipientAddress: encodeAddress(alias) })).toEqual(["toName"]);
    expect(await find({ address: encodeAddress(dave.address) })).toEqual(["cosigned"]);
    expect(await find({ address: encodeAddress(dave.address), embedded: "true" })).toEqual(["cosigned", "cosigned/1"]);
    expect(await find({ address: encodeAddress(bob.address), embedded: "true" })).toEqual([
      "both",
      "much",
      "cosigned",
      "cosigned/0",
    ]);
  });

  test("several types, heights from and to, and all at once", async () => {
    const several = async (query: string) => {
      const { data } = await rest.get<{ data: Body[] }>(`/transactions/confirmed?order=asc&pageSize=100&${query}`);
      return data.map(({ meta }) => names.get(meta.hash ?? "") ?? `${names.get(meta.aggregateHash)}/${meta.index}`);
    };
    expect(await several("fromHeight=3&toHeight=3&type=16724&type=16705")).toEqual(
      ["both", "much", "toName"].sort(byPlace),
    );
    expect(await several("fromHeight=2&toHeight=4&type=16705")).toHaveLength(3);
    expect(await several("fromHeight=4&type=16724&type=16717&embedded=true")).toEqual(["cosigned/0", "cosigned/1"]);
    expect(await several("height=2&type=16717&type=16973&embedded=true")).toEqual(["setup/0", "setup/1"]);
    const address = encodeAddress(alice.address);
    expect(await several(`fromHeight=3&toHeight=4&type=16705&type=16724&address=${address}&embedded=true`)).toEqual([
      ...["both", "much", "toName"].sort(byPlace),
      "cosigned",
      "cosigned/0",
      "cosigned/1",
    ]);
    expect(await several("fromHeight=3&toHeight=4&type=1&type=65535")).toEqual([]);
  });

  /** A devnet orders the transactions of a block by arrival. */
  function byPlace(a: string, b: string): number {
    const order = [...names.values()];
    return order.indexOf(a) - order.indexOf(b);
  }

  test("include=transactions", async () => {
    const { data } = await rest.page<Body>("/transactions/confirmed", { type: 16705, include: "transactions" });
    for (const entry of data) expect(entry).toEqual(await rest.get(`/transactions/confirmed/${entry.id}`));
    expect(data).toHaveLength(3);
  });
});
