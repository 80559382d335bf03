import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { startOfflineMesh } from "../../mesh/offline.js";
import { builtInNetwork } from "../../mesh/standard/built-in-network.js";
import type { BlockResponse, ErrorBody, Operation, Transaction } from "../../mesh/standard/schemas.js";
import { describeRecorded } from "../support/describe-chains.js";
import { MeshClient } from "../support/mesh-client.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

const HEIGHT = 596;
/** Of the recorded chain, every fourth block. */
const STEP = 4;

/** As the bridge of symbol/product keeps it: `address currency value hash`. */
const changeOf = (hash: string, { account, amount }: Operation) =>
  `${account?.address} ${amount?.currency.metadata?.id} ${amount?.value} ${hash}`;

test("an offline Mesh may be at the root too", async () => {
  const log = pino({ level: "silent" });
  const offline = await startOfflineMesh({
    network: builtInNetwork("mainnet"),
    path: "/",
    port: 0,
    version: "0.0.0",
    log,
  });
  const headers = { "content-type": "application/json" };
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${offline.port}${path}`, { method: "POST", headers, body: JSON.stringify({}) });
  try {
    const listed = await (await ask("/network/list")).json();
    expect(listed).toEqual({ network_identifiers: [{ blockchain: "Symbol", network: "mainnet" }] });
    expect((await (await ask("/construction/derive")).json()).code).toEqual(expect.any(Number));
    expect((await ask("/blocks")).status).toBe(404);
  } finally {
    await offline.stop();
  }
});

describeRecorded("Mesh at the root, with COMPATIBILITY=catapult-rest", (chain) => {
  const settings = { resourcesDirectory: chain.path("resources") };
  const reference = RecordedStateGateway.use(chain, {
    ...settings,
    compatibility: "catapult-rest",
    extensions: makeExtensions({ MESH_PATH: "/", COMPATIBILITY: "catapult-rest" }),
  });
  const standard = RecordedStateGateway.use(chain, { ...settings, extensions: makeExtensions({ MESH_PATH: "/mesh" }) });
  const mesh = new MeshClient(standard);

  const post = async <Body>(path: string, body: unknown): Promise<{ status: number; body: Body }> =>
    reference.post(path, body);

  const network_identifier = { blockchain: "Symbol", network: "testnet" };

  test("has the name of the network, and the status of operations, of catapult-rest", async () => {
    expect((await post("/network/list", {})).body).toEqual({ network_identifiers: [network_identifier] });
    const { body } = await post<{ allow: { operation_statuses: object[] } }>("/network/options", {
      network_identifier,
    });
    expect(body.allow.operation_statuses).toContainEqual({ status: "success", successful: true });
  });

  test("has every change of a balance as a transfer, as the bridge requests and reads them", async () => {
    let found = 0;
    for (let height = 1; height <= HEIGHT; height += STEP) {
      const requested = { network_identifier, block_identifier: { index: String(height) } };
      const { status, body } = await post<BlockResponse>("/block", requested);
      expect({ height, status, others: body.other_transactions }).toEqual({ height, status: 200, others: undefined });
      const { transactions = [], block_identifier } = body.block!;
      const read = transactions.flatMap(({ transaction_identifier: { hash }, operations }) =>
        operations
          .filter(({ type, status: outcome }) => type === "transfer" && outcome === "success")
          .map((operation) => changeOf(hash, operation)),
      );
      expect(read.toSorted()).toEqual((await expected(height, block_identifier.hash)).toSorted());
      expect(transactions.every(isNumbered)).toBe(true);
      found += read.length;
    }
    expect(found).toBeGreaterThan(250);
  });

  /** The changes in the standard's form; those that receipts state belong to the block in catapult-rest. */
  async function expected(height: number, blockHash: string): Promise<string[]> {
    const { block, other_transactions: others = [] } = await mesh.ask<BlockResponse>("/block", {
      block_identifier: { index: height },
    });
    const rest = await Promise.all(
      others.map(async (transaction_identifier) => {
        const block_identifier = { index: height, hash: blockHash };
        const answer = { block_identifier, transaction_identifier };
        return (await mesh.ask<{ transaction: Transaction }>("/block/transaction", answer)).transaction;
      }),
    );
    return [...(block?.transactions ?? []), ...rest].flatMap(({ transaction_identifier: { hash }, operations }) =>
      operations
        .filter(({ amount }) => amount !== undefined && amount.value !== "0")
        .map((operation) => {
          const isOfReceipt = operation.metadata?.receipt_type !== undefined;
          return changeOf(isOfReceipt ? blockHash : hash, operation);
        }),
    );
  }

  const isNumbered = ({ operations }: Transaction) =>
    operations.every(
      ({ operation_identifier: { index }, related_operations: related = [] }, place) =>
        index === place && related.every((one) => one.index < place),
    );

  test("has errors in the form of Mesh, beside REST", async () => {
    const wrong = await post<ErrorBody>("/block", { network_identifier, block_identifier: { index: "x" } });
    expect(wrong.body).toMatchObject({ code: expect.any(Number), retriable: false });
    const get = async (path: string) => (await reference.get(path)).status;
    expect(await get("/network")).toBe(200);
    expect(await get("/network/properties")).toBe(200);
    expect(await get("/block")).toBe(405);
    expect(await get("/mempool")).toBe(405);
    expect((await post<{ code: string }>("/network/none", {})).body.code).toBe("ResourceNotFound");
    expect((await post<{ code: string }>("/blocks", {})).status).toBe(405);
  });
});
