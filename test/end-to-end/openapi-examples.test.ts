import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeStatement, statementHashes } from "../../catapult/entity/statement.js";
import { formatMetalId } from "../../catapult/state/metal.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Example } from "../../gateway/rest/openapi.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedProofs } from "../support/recorded-index.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { until } from "../support/until.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
type Body = any;
type Request = Omit<Example, "answer">;

const FILE = new URL("../../../gateway/rest/examples.json", import.meta.url);
/** What an example shows of a text that is long or different each time, or needs something to be announced or stored. */
const WRITTEN: Readonly<Record<string, Example>> = {
  getMetrics: { answer: "# TYPE symbol_gateway_node_height gauge\nsymbol_gateway_node_height 596\n" },
  getOpenApi: {
    answer: { openapi: "3.0.3", info: { title: "symbol-gateway", version: "1.0.0" }, paths: {}, components: {} },
  },
  getAsyncApi: {
    answer: {
      ...{ asyncapi: "3.0.0", info: { title: "symbol-gateway", version: "1.0.0" } },
      ...{ channels: {}, operations: {}, components: {} },
    },
  },
  getMetadataMetal: {
    parameters: { metalId: formatMetalId(Buffer.alloc(32, 0xab)) },
    answer: "The bytes of the file.",
  },
  streamEvents: {
    parameters: { topic: ["block", "finalizedBlock"] },
    answer:
      'id: 81234\n\nid: 81235\ndata: {"topic":"finalizedBlock","data":{"finalizationEpoch":14,"finalizationPoint":3,"height":"512","hash":"9FB3BFA046F6874346839E5190F452DC17D5BE22818A710BF199E2BF5067A02C"},"sequence":81235}\n\n',
  },
};
const pushed = (packet: number, path: string) => ({
  message: `packet ${packet} was pushed to the network via ${path}`,
});
/** Answers that depend on the moment, the machine or the program's version. */
const CHANGING = [
  "getReadiness",
  "getNodeInfo",
  "getNodeTime",
  "getNodeStorage",
  "getServerInfo",
  "simulateTransactions",
];
const FEW = 2;
/** For some hundred requests on a busy machine. */
const HOOK_MS = 600_000;
/** Before each aggregate in a node's answer about partial ones. */
const TAG_BYTES = 8;

/** What the recorded node answered to requests without content. */
const SMALL_ANSWERS = [
  [PacketType.nodeDiscoveryPullPeers, "nodePeers"],
  [PacketType.timeSyncNetworkTime, "networkTime"],
  [PacketType.unlockedAccounts, "unlockedAccounts"],
] as const;
/** In a finalization proof. */
const HEIGHT_OFFSET = 16;

const firstEntity = (bytes: Buffer) => bytes.subarray(0, bytes.readUInt32LE(0));

describeRecorded("examples of /openapi.json", (chain) => {
  let served: RecordedStateGateway;
  /** A transaction of the recording that is in no block yet, as hex, and a bonded aggregate. */
  let payload: string;
  let bonded: string;
  /** Each operation's example as it is now. */
  const current: Record<string, Example> = {};

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain, {
      resourcesDirectory: chain.path("resources"),
      nodeMetadata: { operator: "example" },
    });
    const { node } = served.node;
    const proofs = recordedProofs(chain);
    node.showProofs(proofs);
    node.handlers.set(PacketType.finalizationProofAtHeight, (request) => ({
      type: PacketType.pullFinalizationProof,
      payload:
        [...proofs.values()].find((proof) => proof.readBigUInt64LE(HEIGHT_OFFSET) === request.readBigUInt64LE(0)) ??
        Buffer.alloc(0),
    }));
    const packets = chain.packets();
    for (const [type, name] of SMALL_ANSWERS) node.handlers.set(type, () => Buffer.from(packets[name] ?? "", "hex"));
    const pulls = chain.lines<{ packet: string; response: string }>("fork/pulls.jsonl.gz");
    const shown = (packet: string) =>
      Buffer.from(pulls.find((pull) => pull.packet === packet && pull.response !== "")!.response, "hex");
    const unconfirmed = shown("Pull_Transactions");
    const partial = shown("Pull_Partial_Transaction_Infos");
    payload = firstEntity(unconfirmed).toString("hex").toUpperCase();
    bonded = firstEntity(partial.subarray(TAG_BYTES)).toString("hex").toUpperCase();
    node.showUnconfirmed([firstEntity(unconfirmed)]);
    node.showPartial(partial);
    for (const group of ["unconfirmed", "partial"])
      await until(
        async () => (await get(`/transactions/${group}`)).pagination.totalEntries > 0,
        `the ${group} transactions are indexed`,
      );
    Object.assign(current, WRITTEN, announcements());
    for (const [operationId, request] of Object.entries(await requests()))
      current[operationId] = { ...request, answer: await answerTo(operationId, request) };
    if (process.env.UPDATE_EXAMPLES === "1") {
      const lines = routes.flatMap(({ operationId: id }) =>
        current[id] ? [`  ${JSON.stringify(id)}: ${JSON.stringify(current[id])}`] : [],
      );
      writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
    }
  }, HOOK_MS);

  afterAll(() => served?.close());

  function announcements(): Record<string, Example> {
    const cosignature = { signerPublicKey: "A".repeat(64), signature: "B".repeat(128), parentHash: "C".repeat(64) };
    return {
      announceTransaction: { body: { payload }, answer: pushed(PacketType.pushTransactions, "/transactions") },
      announceOneTransaction: { body: { payload }, answer: pushed(PacketType.pushTransactions, "/transaction") },
      announcePartialTransaction: {
        body: { payload: bonded },
        answer: pushed(PacketType.pushPartialTransactions, "/transactions/partial"),
      },
      announceCosignatureTransaction: {
        body: { ...cosignature, version: "0" },
        answer: pushed(PacketType.pushDetachedCosignatures, "/transactions/cosignature"),
      },
    };
  }

  async function get(path: string): Promise<Body> {
    const response = await fetch(`${served.url}${path}`);
    const text = await response.text();
    expect({ path, status: response.status, text }).toEqual({ path, status: 200, text });
    return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
  }

  async function answerTo(operationId: string, { parameters = {}, body }: Request): Promise<unknown> {
    const route = routes.find((one) => one.operationId === operationId)!;
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(parameters[name]));
    const query = Object.entries(parameters).filter(([name]) => !route.path.includes(`{${name}}`));
    const pairs = query.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
    if (body === undefined) return get(pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`);
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${served.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.json();
  }

  /** The first value of a filter with which a list has at least one entry and few. */
  async function fewWith(list: string, name: string, values: readonly string[]): Promise<string> {
    for (const value of values) {
      const { totalEntries } = (await get(`${list}?${name}=${value}`)).pagination;
      if (totalEntries > 0 && totalEntries <= FEW) return value;
    }
    throw new Error(`no ${name} finds few entries of ${list}`);
  }

  /** A request of each operation that reads. */
  async function requests(): Promise<Record<string, Request>> {
    const entries = async (path: string): Promise<Body[]> =>
      (await get(`${path}${path.includes("?") ? "&" : "?"}order=asc&pageSize=100`)).data;
    const first = async (path: string) => (await entries(path))[0];
    const { height, latestFinalizedBlock } = await get("/chain/info");
    const proof = await get(`/finalization/proof/epoch/${latestFinalizedBlock.finalizationEpoch}`);
    const transfers = await entries("/transactions/confirmed?type=16724&fromHeight=2");
    const heightsOf = transfers.map(({ meta }) => meta.height);
    // The only one of its block.
    const transfer = transfers.find(({ meta: { height: of } }) => heightsOf.indexOf(of) === heightsOf.lastIndexOf(of));
    const { block } = await get(`/blocks/${transfer.meta.height}`);
    const [leaf = ""] = statementHashes(decodeStatement(chain.blocks()[Number(block.height) - 1]!.statement)).map(
      (hash) => hash.toString("hex").toUpperCase(),
    );
    const resolution = await first("/statements/resolutions/address");
    const mosaicResolution = await first("/statements/resolutions/mosaic");
    const statement = await first("/statements/transaction?receiptType=8515");
    const unconfirmed = await first("/transactions/unconfirmed");
    const partial = await first("/transactions/partial");
    const main = chain.networkFile.accounts.find(({ name }) => name === "main")!.address;
    const mosaics = (await entries("/mosaics")).map((one) => one.mosaic);
    const namespaces = (await entries("/namespaces")).map((one) => one.namespace);
    const child = namespaces.find(({ registrationType }) => registrationType === 1);
    const named = namespaces.find(({ alias }) => alias.type === 2);
    const namedMosaic = namespaces.find(({ alias }) => alias.type === 1);
    const metadata = (await entries("/metadata")).map((one) => one.metadataEntry);
    const hashLocks = (await entries("/lock/hash")).map((one) => one.lock);
    const secretLocks = (await entries("/lock/secret")).map((one) => one.lock);
    const restricted = (await entries("/restrictions/account")).map((one) => one.accountRestrictions);
    const rules = (await entries("/restrictions/mosaic")).map((one) => one.mosaicRestrictionEntry);
    const multisigs: string[] = [];
    for (const { account } of await entries("/accounts")) {
      const found = await fetch(`${served.url}/account/${account.address}/multisig`);
      if (found.status === 200) multisigs.push(account.address);
    }
    const [mosaic = mosaics[0]] = mosaics.filter(({ divisibility }) => divisibility > 0);
    return {
      getInterfaces: {},
      getReadiness: { parameters: { maxBlocksBehind: 20 } },
      getChainInfo: {},
      searchBlocks: { parameters: { fromTimestamp: block.timestamp, toTimestamp: block.timestamp } },
      getBlockByHeight: { parameters: { height: block.height } },
      getMerkleTransaction: { parameters: { height: transfer.meta.height, hash: transfer.meta.hash } },
      getMerkleReceipts: { parameters: { height: block.height, hash: leaf } },
      searchConfirmedTransactions: { parameters: { height: transfer.meta.height, type: [16724] } },
      getConfirmedTransactions: { body: { transactionIds: [transfer.meta.hash] } },
      getConfirmedTransaction: { parameters: { transactionId: transfer.meta.hash } },
      searchUnconfirmedTransactions: { parameters: { type: [unconfirmed.transaction.type] } },
      getUnconfirmedTransactions: { body: { transactionIds: [unconfirmed.meta.hash] } },
      getUnconfirmedTransaction: { parameters: { transactionId: unconfirmed.meta.hash } },
      searchPartialTransactions: { parameters: { type: [partial.transaction.type] } },
      getPartialTransactions: { body: { transactionIds: [partial.meta.hash] } },
      getPartialTransaction: { parameters: { transactionId: partial.meta.hash } },
      exportConfirmedTransactions: { parameters: { height: transfer.meta.height, type: [16724] } },
      getTransactionStatus: { parameters: { hash: transfer.meta.hash } },
      getTransactionStatuses: { body: { hashes: [transfer.meta.hash, unconfirmed.meta.hash] } },
      searchTransactionStatements: { parameters: { height: statement.statement.height } },
      searchAddressResolutionStatements: { parameters: { height: resolution.statement.height } },
      searchMosaicResolutionStatements: { parameters: { height: mosaicResolution.statement.height } },
      searchAccounts: { parameters: { address: main } },
      getAccountsInfo: { body: { addresses: [main] } },
      getAccountInfo: { parameters: { accountId: main } },
      getAccountInfoMerkle: { parameters: { accountId: main } },
      exportAccountMovements: {
        parameters: {
          accountId: transfer.transaction.signerPublicKey,
          fromHeight: block.height,
          toHeight: block.height,
        },
      },
      searchMosaics: {
        parameters: {
          ownerAddress: await fewWith(
            "/mosaics",
            "ownerAddress",
            mosaics.map((one) => one.ownerAddress),
          ),
        },
      },
      getMosaics: { body: { mosaicIds: [mosaic.id] } },
      getMosaic: { parameters: { mosaicId: mosaic.id } },
      getMosaicMerkle: { parameters: { mosaicId: mosaic.id } },
      searchNamespaces: {
        parameters: {
          level0: await fewWith(
            "/namespaces",
            "level0",
            namespaces.map((n) => n.level0),
          ),
        },
      },
      getNamespace: { parameters: { namespaceId: child.level1 } },
      getNamespaceMerkle: { parameters: { namespaceId: child.level0 } },
      getNamespacesNames: { body: { namespaceIds: [child.level1] } },
      getAccountsNames: { body: { addresses: [named.alias.address] } },
      getMosaicsNames: { body: { mosaicIds: [namedMosaic.alias.mosaicId] } },
      getAccountMultisig: { parameters: { address: multisigs[0]! } },
      getAccountMultisigGraph: { parameters: { address: multisigs[0]! } },
      getAccountMultisigMerkle: { parameters: { address: multisigs[0]! } },
      searchMetadataEntries: {
        parameters: {
          targetId: await fewWith(
            "/metadata",
            "targetId",
            metadata.map((one) => one.targetId),
          ),
        },
      },
      getMetadataEntries: { body: { compositeHashes: [metadata[0].compositeHash] } },
      getMetadata: { parameters: { compositeHash: metadata[0].compositeHash } },
      getMetadataMerkle: { parameters: { compositeHash: metadata[0].compositeHash } },
      searchHashLock: {
        parameters: {
          address: await fewWith(
            "/lock/hash",
            "address",
            hashLocks.map((one) => one.ownerAddress),
          ),
        },
      },
      getHashLocks: { body: { hashes: [hashLocks[0].hash] } },
      searchAccountHashLocks: {
        parameters: {
          address: await fewWith(
            "/lock/hash",
            "address",
            hashLocks.map((one) => one.ownerAddress),
          ),
        },
      },
      getHashLock: { parameters: { hash: hashLocks[0].hash } },
      getHashLockMerkle: { parameters: { hash: hashLocks[0].hash } },
      searchSecretLock: { parameters: { secret: secretLocks[0].secret } },
      getSecretLocks: { body: { compositeHashes: [secretLocks[0].compositeHash] } },
      searchAccountSecretLocks: { parameters: { address: secretLocks[0].ownerAddress, secret: secretLocks[0].secret } },
      getSecretLock: { parameters: { compositeHash: secretLocks[0].compositeHash } },
      getSecretLockMerkle: { parameters: { compositeHash: secretLocks[0].compositeHash } },
      searchAccountRestrictions: { parameters: { address: restricted[0].address } },
      getAccountRestrictionsBatch: { body: { addresses: [restricted[0].address] } },
      getAccountRestrictions: { parameters: { address: restricted[0].address } },
      getAccountRestrictionsMerkle: { parameters: { address: restricted[0].address } },
      searchMosaicRestrictions: { parameters: { mosaicId: rules[0].mosaicId, entryType: 1 } },
      getMosaicRestrictionsBatch: { body: { compositeHashes: [rules[0].compositeHash] } },
      getMosaicRestrictions: { parameters: { compositeHash: rules[0].compositeHash } },
      getMosaicRestrictionsMerkle: { parameters: { compositeHash: rules[0].compositeHash } },
      getFinalizationProofAtEpoch: { parameters: { epoch: latestFinalizedBlock.finalizationEpoch } },
      getFinalizationProofAtHeight: { parameters: { height: proof.height } },
      getNetworkType: {},
      getNetworkProperties: {},
      getTransactionFees: {},
      getRentalFees: {},
      getNetworkInflation: {},
      getNetworkInflationAtHeight: { parameters: { height } },
      getMaxCurrencySupply: {},
      getTotalCurrencySupply: {},
      getCirculatingCurrencySupply: {},
      getNodeHealth: {},
      getNodeInfo: {},
      getNodePeers: {},
      getNodeTime: {},
      getNodeStorage: {},
      getUnlockedAccount: {},
      getNodeMetadata: {},
      getServerInfo: {},
      simulateTransactions: { body: { payload, unsigned: true } },
    };
  }

  test("are what the gateway answers on the recorded chain", () => {
    const written = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Example>;
    const comparable = (of: Readonly<Record<string, Example>>) =>
      Object.fromEntries(
        Object.entries(of).map(([id, { answer, ...request }]) => [
          id,
          CHANGING.includes(id) ? request : { ...request, answer },
        ]),
      );
    expect(comparable(written)).toEqual(comparable(current));
  });
});
