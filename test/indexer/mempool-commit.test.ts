import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { ChangeWriter } from "../../indexer/mempool/change-writer.js";
import { indexContext } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { type Loss, LossyDatabase } from "../support/lossy-database.js";

const network = { identifier: 152, generationHashSeed: Buffer.alloc(32, 1) };

let index: IndexedDatabase;
let lossy: LossyDatabase;
let db: Db;
let log: LogLines;

beforeEach(async () => {
  index = await IndexedDatabase.create();
  await insertHead(index.db, network);
  lossy = await new LossyDatabase(index.url).open();
  db = openDatabase({ url: lossy.through(index.url), poolSize: 1 });
  log = new LogLines();
});

afterEach(async () => {
  await db.destroy();
  await lossy.close();
  await index.drop();
});

test.each<[losses: Loss[], retries: number]>([
  [["answer"], 0],
  [["request"], 1],
  [["request", "answer"], 1],
  [["answer", "answer"], 0],
])("a rejection is reported once; lost parts of its COMMIT: %j", async (losses, retries) => {
  const { signal } = new AbortController();
  const writer = new ChangeWriter({ ...indexContext(db, network), log: log.logger }, signal);
  const rejected = (byte: number) => ({
    kind: "rejectedByNode" as const,
    hash: Buffer.alloc(32, byte),
    code: "Failure_Core_Past_Deadline",
    deadline: 7n,
    addresses: [Buffer.alloc(24, 2)],
  });
  lossy.lose(...losses);
  await writer.write([rejected(1)]);
  await writer.write([rejected(2)]);
  expect(lossy.lost).toBe(losses.length);
  const events = await index.db
    .selectFrom("events")
    .select(["channel", "sequence", "data"])
    .orderBy("sequence")
    .execute();
  expect(events.map(({ channel, data }) => [channel, JSON.parse(data).hash.slice(0, 2)])).toEqual([
    ["status", "01"],
    ["status", "02"],
  ]);
  const head = await index.db.selectFrom("head").select("event_sequence").executeTakeFirstOrThrow();
  expect(head.event_sequence).toBe(2);
  expect(log.matching(/Database connection lost/)).toHaveLength(retries);
});
