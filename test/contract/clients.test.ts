import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as client from "symbol-openapi-typescript-fetch-client";
import { Hash256, PrivateKey } from "symbol-sdk";
import { Address, descriptors, models, Network, SymbolFacade, SymbolTransactionFactory } from "symbol-sdk/symbol";
import { encodeAddress } from "../../catapult/entity/address.js";
import { publishedApi } from "../support/openapi.js";
import { until } from "../support/until.js";
import { ask } from "./ask.js";
import { type Example, examplesOf } from "./examples.js";
import { operationsOf } from "./operations.js";
import { Scene } from "./scene.js";

/** Its names of what the description names otherwise. */
const RENAMED: Readonly<Record<string, string>> = { searchReceipts: "searchTransactionStatements" };
/** What is another one each time. */
const CHANGING = new Set(["getNodeTime", "getNodeStorage"]);

type Calls = Readonly<Record<string, (...values: unknown[]) => Promise<unknown>>>;

describe("client libraries", () => {
  const operations = operationsOf(publishedApi());
  let scene: Scene;
  let examples: Readonly<Record<string, Example>>;

  beforeAll(async () => {
    scene = await Scene.start();
    examples = await examplesOf(scene);
  });

  afterAll(() => scene?.stop());

  const classes = Object.entries(client).filter(([name]) => /^\w+RoutesApi$/.test(name));
  test.each(classes)("symbol-openapi-typescript-fetch-client reads what %s is answered", async (_name, api) => {
    const Api = api as unknown as new (configuration: client.Configuration) => Calls;
    const calls = new Api(new client.Configuration({ basePath: scene.url, fetchApi: fetch }));
    const ids = Object.getOwnPropertyNames(Api.prototype).filter((id) => id !== "constructor" && !id.endsWith("Raw"));
    for (const id of ids) {
      const operation = operations.find(({ operationId }) => operationId === (RENAMED[id] ?? id))!;
      const example = examples[operation.operationId]!;
      const { path = {}, body } = example;
      const values = operation.parameters.filter((one) => one.in === "path").map(({ name }) => path[name]);
      const read = await calls[id]!(...values, ...(body ? [body] : []));
      if (CHANGING.has(id)) continue;
      const { json } = await ask(scene.url, operation, example);
      // It leaves out members that the description does not have.
      expect({ id, json }).toMatchObject({ id, json: JSON.parse(JSON.stringify(read)) });
    }
    expect(ids).not.toEqual([]);
  });

  test("there are as many classes as there were", () => {
    expect(classes.length).toBeGreaterThan(15);
  });

  test("symbol-sdk 3 builds a transfer, announces it, and its confirmation arrives", async () => {
    const { devnet } = scene.node;
    const { bob, carol } = scene.state;
    const network = new Network(
      "devnet",
      devnet.network.identifier,
      new Date(devnet.rules.epochAdjustment * 1000),
      new Hash256(new Uint8Array(devnet.generationHashSeed)),
    );
    const facade = new SymbolFacade(network);
    const account = facade.createAccount(new PrivateKey(new Uint8Array(bob.privateKey)));
    const get = async (path: string) => (await fetch(`${scene.url}${path}`)).json();
    const { medianFeeMultiplier } = await get("/network/fees/transaction");
    const transfer = new descriptors.TransferTransactionV1Descriptor(
      new Address(encodeAddress(carol.address)),
      [
        new descriptors.UnresolvedMosaicDescriptor(
          new models.UnresolvedMosaicId(devnet.currencyMosaicId),
          new models.Amount(1_000_000n),
        ),
      ],
      new TextEncoder().encode("\0from symbol-sdk 3"),
    );
    const transaction = facade.createTransactionFromTypedDescriptor(
      transfer,
      account.publicKey,
      medianFeeMultiplier,
      60 * 60,
    );
    const body = SymbolTransactionFactory.attachSignature(transaction, account.signTransaction(transaction));
    const response = await fetch(`${scene.url}/transactions`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(202);
    const hash = facade.hashTransaction(transaction).toString();
    await until(() => devnet.isUnconfirmed(Buffer.from(hash, "hex")), "the node has it in its pool");
    await scene.harvest();
    expect(await get(`/transactionStatus/${hash}`)).toMatchObject({ group: "confirmed", code: "Success" });
    const { transaction: found } = await get(`/transactions/confirmed/${hash}`);
    expect(found).toMatchObject({ signerPublicKey: account.publicKey.toString(), mosaics: [{ amount: "1000000" }] });
  });
});
