import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import sdk from "symbol-sdk-v2";
import { hex } from "../../catapult/entity/hex.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { executedIndex } from "../support/recorded-index.js";

describeRecorded("the messages of the recorded chain, which was followed", (chain) => {
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
  });

  afterAll(() => index?.drop());

  const messagesOf = async (channel: string) => {
    const { rows } = await sql<{ data: string }>`
      select data from events where channel = ${channel} order by sequence`.execute(index.db);
    return rows.map(({ data }) => JSON.parse(data));
  };

  test("are one for each block and for each transaction, in their order", async () => {
    const blocks = await index.db.selectFrom("blocks").select("hash").orderBy("height").execute();
    expect((await messagesOf("block")).map(({ meta }) => meta.hash)).toEqual(blocks.map(({ hash }) => hex(hash)));
    const transactions = await index.db
      .selectFrom("transactions")
      .select("hash")
      .where("hash", "is not", null)
      .orderBy("id")
      .execute();
    expect((await messagesOf("confirmedAdded")).map(({ meta }) => meta.hash)).toEqual(
      transactions.map(({ hash }) => hex(hash!)),
    );
  });

  test("can be decoded by the client library of wallets", async () => {
    const networkType = sdk.NetworkType.TEST_NET;
    const listener = new sdk.RepositoryFactoryHttp("http://127.0.0.1:1", { networkType }).createListener();
    const reader = listener as unknown as { handleMessage(message: object, resolve: () => void): void };
    const types = new Set<number>();
    for (const data of await messagesOf("confirmedAdded")) {
      reader.handleMessage({ topic: "confirmedAdded", data }, () => undefined);
      types.add(data.transaction.type);
    }
    expect(types.size).toBeGreaterThan(15);
  });
});
