import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hex } from "../../catapult/entity/hex.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { sendJson } from "../support/rest-client.js";
import { startTestGateway } from "../support/test-gateway.js";
import { TransactionMaker } from "../support/transaction-maker.js";
import { pause, until } from "../support/until.js";

const COUNT = 1000;
/** Number of concurrent requests. */
const CLIENTS = 64;
/** Every tenth transfers more than its sender has. */
const UNPAYABLE_EVERY = 10;
const HASHES_AT_A_TIME = 100;

interface Status {
  readonly hash: string;
  readonly group: "confirmed" | "failed" | "unconfirmed" | "partial";
  readonly code: string;
}

let fixture: DevnetFixture;
let index: IndexedDatabase;
let gateway: Gateway;

beforeAll(async () => {
  // pushes are collected as long as at a real node
  fixture = await DevnetFixture.start({ zmqPort: 0, autoHarvest: true, blockMs: 500, gatherMs: 500 });
  const { devnet } = fixture;
  index = await IndexedDatabase.create();
  await index.follow(devnet, { zmqUrl: devnet.zmqEndpoint });
  gateway = await startTestGateway({
    databaseUrl: index.url,
    nodes: [devnet],
    resourcesDirectory: devnet.resourcesDirectory,
  });
  await index.waitFor(({ height }) => height >= 2);
  await fixture.hasSubscriber();
});

afterAll(async () => {
  await gateway?.stop();
  await index?.drop();
  await fixture?.stop();
});

const ask = (path: string, method: string, body: unknown) =>
  sendJson(method, `http://127.0.0.1:${gateway.port}${path}`, body);

/** The statuses of transactions in REST, by their hashes. */
async function statusesOf(hashes: readonly string[]): Promise<Map<string, Status>> {
  const known = new Map<string, Status>();
  for (let first = 0; first < hashes.length; first += HASHES_AT_A_TIME) {
    const some = hashes.slice(first, first + HASHES_AT_A_TIME);
    const { body } = await ask("/transactionStatus", "POST", { hashes: some });
    for (const status of body as Status[]) known.set(status.hash, status);
  }
  return known;
}

test("of 1,000 transfers announced at once, each is confirmed or rejected with a code, and none is lost", async () => {
  const { devnet } = fixture;
  const make = new TransactionMaker(devnet);
  const users = devnet.accounts.slice(0, -1) as DevnetAccount[];
  const transfers = Array.from({ length: COUNT }, (_, place) => {
    const sender = users[place % users.length]!;
    const recipient = users[(place + 1) % users.length]!;
    const isPayable = place % UNPAYABLE_EVERY !== 0;
    const payload = make.transaction(sender, {
      type: "transfer_transaction_v1",
      recipientAddress: new Uint8Array(recipient.address),
      mosaics: [{ mosaicId: devnet.currencyMosaicId, amount: isPayable ? 1n : 2n * sender.balance }],
    });
    return { payload: payload.toString("hex").toUpperCase(), hash: hex(make.hashOf(payload)), isPayable };
  });

  const start = performance.now();
  const waiting = transfers.values();
  const answered = new Set<number>();
  const announceAll = async () => {
    for (const { payload } of waiting) {
      const announce = () => ask("/transactions", "PUT", { payload });
      // On a busy machine, the server may close a connection as idle just when the client uses it again.
      answered.add((await announce().catch(announce)).status);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, announceAll));
  expect(answered).toEqual(new Set([202]));
  const announced = performance.now();

  const hashes = transfers.map(({ hash }) => hash);
  const hasEnded = (status: Status | undefined) => status?.group === "confirmed" || status?.group === "failed";
  const countOfOpen = () => hashes.filter((hash) => !hasEnded(statuses.get(hash))).length;
  let statuses = await statusesOf(hashes);
  const areOver = async () => {
    await pause(100);
    statuses = await statusesOf(hashes);
    return countOfOpen() === 0;
  };
  // Those that are open after two minutes without another one that is over are named below.
  await until(areOver, "all are over", undefined, countOfOpen).catch(() => undefined);
  const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);
  const count = (group: Status["group"]) => [...statuses.values()].filter((one) => one.group === group).length;
  process.stderr.write(
    `${COUNT} transfers: ${count("confirmed")} confirmed, ${count("failed")} rejected with a code, ${countOfOpen()} lost; ` +
      `announced in ${((announced - start) / 1000).toFixed(1)} s, all over after ${seconds(start)} s\n`,
  );
  const outcomes = transfers.map(({ hash }) => {
    const status = statuses.get(hash);
    return status?.group === "failed" ? status.code : status?.group;
  });
  expect(outcomes).toEqual(
    transfers.map(({ isPayable }) => (isPayable ? "confirmed" : "Failure_Core_Insufficient_Balance")),
  );
  expect(devnet.unconfirmedCount).toBe(0);
});
