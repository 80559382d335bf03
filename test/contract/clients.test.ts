import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as client from "symbol-openapi-typescript-fetch-client";
import { Hash256, PrivateKey } from "symbol-sdk";
import { Address, descriptors, models, Network, SymbolFacade, SymbolTransactionFactory } from "symbol-sdk/symbol";
import { encodeAddress } from "../../catapult/entity/address.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { until } from "../support/until.js";
import { type Example, examplesOf } from "./examples.js";
import { Scene } from "./scene.js";

describe("client libraries", () => {
  let scene: Scene;
  let examples: Readonly<Record<string, Example>>;
  let configuration: client.Configuration;

  beforeAll(async () => {
    scene = await Scene.start();
    examples = await examplesOf(scene);
    configuration = new client.Configuration({ basePath: scene.url, fetchApi: fetch });
  });

  afterAll(() => scene?.stop());

  const pathOf = (operationId: string) => examples[operationId]?.path ?? {};
  const called = new Set<string>();

  /** An API class, recorded as called. */
  function api<T>(name: string, Api: new (configuration: client.Configuration) => T): T {
    called.add(name);
    return new Api(configuration);
  }

  test("symbol-openapi-typescript-fetch-client: accounts and what belongs to them", async () => {
    const { alice, parties, multisig } = scene.state;
    const address = encodeAddress(alice.address);
    const [party] = parties;
    const { account } = await api("AccountRoutesApi", client.AccountRoutesApi).getAccountInfo(address);
    expect(account.publicKey).toBe(alice.publicKey.toString("hex").toUpperCase());
    const top = encodeAddress(multisig.top.address);
    const { multisig: entry } = await api("MultisigRoutesApi", client.MultisigRoutesApi).getAccountMultisig(top);
    expect(entry.cosignatoryAddresses).toHaveLength(2);
    const restrictions = await api("RestrictionAccountRoutesApi", client.RestrictionAccountRoutesApi);
    const restricted = await restrictions.getAccountRestrictions(encodeAddress(party?.address as Buffer));
    expect(restricted.accountRestrictions.restrictions).toHaveLength(1);
    const metadata = await api("MetadataRoutesApi", client.MetadataRoutesApi).searchMetadataEntries(address);
    expect(metadata.data.length).toBeGreaterThan(0);
  });

  test("symbol-openapi-typescript-fetch-client: mosaics, namespaces, locks", async () => {
    const { mosaicId = "" } = pathOf("getMosaic");
    const { mosaic } = await api("MosaicRoutesApi", client.MosaicRoutesApi).getMosaic(mosaicId);
    expect(mosaic.id).toBe(mosaicId);
    const restrictions = api("RestrictionMosaicRoutesApi", client.RestrictionMosaicRoutesApi);
    expect((await restrictions.searchMosaicRestrictions(mosaicId)).data.length).toBeGreaterThan(0);
    const id = namespaceIdOf("root0").toString(16).toUpperCase().padStart(16, "0");
    const { namespace } = await api("NamespaceRoutesApi", client.NamespaceRoutesApi).getNamespace(id);
    expect(namespace.level0).toBe(id);
    const { hash = "" } = pathOf("getHashLock");
    const { lock } = await api("HashLockRoutesApi", client.HashLockRoutesApi).getHashLock(hash);
    expect(lock.hash).toBe(hash);
    const { compositeHash = "" } = pathOf("getSecretLock");
    const secretLock = await api("SecretLockRoutesApi", client.SecretLockRoutesApi).getSecretLock(compositeHash);
    expect(secretLock.lock.compositeHash).toBe(compositeHash);
  });

  test("symbol-openapi-typescript-fetch-client: chain, blocks, receipts, finalization, node, network", async () => {
    const { height, finalizedHeight } = scene.names;
    const info = await api("ChainRoutesApi", client.ChainRoutesApi).getChainInfo();
    expect(Number(info.height)).toBeGreaterThan(height);
    const { block } = await api("BlockRoutesApi", client.BlockRoutesApi).getBlockByHeight(String(height));
    expect(block.height).toBe(String(height));
    const receipts = await api("ReceiptRoutesApi", client.ReceiptRoutesApi);
    expect((await receipts.searchAddressResolutionStatements(String(height))).data).toHaveLength(1);
    const finalization = api("FinalizationRoutesApi", client.FinalizationRoutesApi);
    expect((await finalization.getFinalizationProofAtEpoch(2)).height).toBe(String(finalizedHeight));
    const { status } = await api("NodeRoutesApi", client.NodeRoutesApi).getNodeHealth();
    expect(status).toEqual({ apiNode: "up", db: "up" });
    const network = api("NetworkRoutesApi", client.NetworkRoutesApi);
    expect((await network.getNetworkType()).name).toBe("testnet");
    expect((await network.getRentalFees()).effectiveMosaicRentalFee).toMatch(/^\d+$/);
    expect((await network.getNetworkProperties()).chain.currencyMosaicId).toMatch(/^0x/);
  });

  test("symbol-openapi-typescript-fetch-client: transactions and statuses", async () => {
    const { transferHash, partialHash, failedHash } = scene.names;
    const transactions = api("TransactionRoutesApi", client.TransactionRoutesApi);
    expect((await transactions.getConfirmedTransaction(transferHash)).meta).toMatchObject({ hash: transferHash });
    expect((await transactions.searchPartialTransactions()).data[0]?.meta).toMatchObject({ hash: partialHash });
    const statuses = api("TransactionStatusRoutesApi", client.TransactionStatusRoutesApi);
    expect((await statuses.getTransactionStatus(failedHash)).group).toBe("failed");
  });

  test("symbol-openapi-typescript-fetch-client: every API class was called", () => {
    const classes = Object.keys(client).filter((name) => /^\w+RoutesApi$/.test(name));
    expect(classes.length).toBeGreaterThan(15);
    expect([...called].sort()).toEqual(classes.sort());
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
    const { medianFeeMultiplier } = await ask("/network/fees/transaction");
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
    expect(await ask(`/transactionStatus/${hash}`)).toMatchObject({ group: "confirmed", code: "Success" });
    const { transaction: found } = await ask(`/transactions/confirmed/${hash}`);
    expect(found).toMatchObject({ signerPublicKey: account.publicKey.toString(), mosaics: [{ amount: "1000000" }] });
  });

  // biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
  async function ask(path: string): Promise<any> {
    return (await fetch(`${scene.url}${path}`)).json();
  }
});
