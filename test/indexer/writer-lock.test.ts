import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { HeadMovedError } from "../../indexer/chain/step/errors.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { StepWriter } from "../../indexer/chain/write/write.js";
import { WriterLock } from "../../indexer/writer.js";
import { silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { isWithin } from "../support/until.js";
import { emptyStep } from "../support/write-blocks.js";

describe("the one writer", () => {
  let index: IndexedDatabase;
  const stop = new AbortController();

  beforeEach(async () => {
    index = await IndexedDatabase.create();
  });
  afterEach(() => index.drop());

  const acquire = () => WriterLock.acquire({ databaseUrl: index.url, log: silentLog, signal: stop.signal, pollMs: 10 });

  test("a second one waits until the first releases the lock", async () => {
    const first = await acquire();
    let taken = false;
    const second = acquire().then((lock) => {
      taken = true;
      return lock;
    });
    expect(await isWithin(100, () => taken)).toBe(false);
    await first?.release();
    await (await second)?.release();
    expect(taken).toBe(true);
  });

  test("a lock whose connection was cut is lost, and reported", async () => {
    const lock = await acquire();
    const lost = new Promise<void>((resolve) => lock?.lost.addEventListener("abort", () => resolve()));
    const admin = new pg.Client({ connectionString: index.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from ${OWN_CONNECTIONS} where application_name = 'symbol-gateway writer lock'`,
    );
    await lost;
    expect(lock?.lost.aborted).toBe(true);
    await admin.end();
    await lock?.release();
  });

  test("a writer that is not at the position of the head row writes nothing", async () => {
    const network = { identifier: 152, generationHashSeed: Buffer.alloc(32) };
    const writer = new StepWriter({ db: index.db, network });
    const step = emptyStep({ height: 7, hash: Buffer.alloc(32, 7) });
    await expect(writer.write(step)).rejects.toThrow(HeadMovedError);
    await insertHead(index.db, network);
    await expect(writer.write(step)).rejects.toThrow(/is at 0 .* not at 7/);
  });
});
