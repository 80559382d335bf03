import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BLOCK_TYPE } from "../../catapult/entity/entity-layout.js";
import { encodeEntityId } from "../../catapult/json/entity-id.js";
import type { Db } from "../../database/database.js";
import { findMessages, hasMessageIndex, MESSAGE_INDEX } from "../../database/queries/messages.js";
import { findChildNames } from "../../database/queries/namespace-names.js";
import { writeBlock } from "../../devnet/chain/block-layout.js";
import { createDeferredIndexes, deferIndexes } from "../../indexer/step/deferred-indexes.js";
import { arrangeMessageIndex } from "../../indexer/step/message-index.js";
import { silentLog } from "../support/connection-fixtures.js";
import { generateAggregate, generateTransfer } from "../support/generated-transactions.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { createMessageIndex } from "../support/message-index.js";
import { QueryPlans, scannedTables, usedIndexes } from "../support/query-plans.js";
import { quickSigner } from "../support/quick-signer.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { messageOf, recordedBlocks } from "../support/recorded-facts.js";
import { executedIndex } from "../support/recorded-index.js";
import { SeededRandom } from "../support/seeded-random.js";

const NEVER = new AbortController().signal;
/** More than all. */
const ALL = 10_000;

describeRecorded("search inside the recorded chain", (chain) => {
  const blocks = recordedBlocks(chain);
  /** The newest first. */
  const messages = blocks
    .flatMap(({ height, transactions }) =>
      transactions.flatMap(({ entity, index: place, embedded }) => [
        { id: encodeEntityId(height, place), height, text: messageOf(entity) },
        ...embedded.map((one) => ({
          id: encodeEntityId(height, place, one.index + 1),
          height,
          text: messageOf(one.entity),
        })),
      ]),
    )
    .flatMap(({ text, ...one }) => (text ? [{ ...one, text }] : []))
    .toReversed();
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
    await createMessageIndex(index.db);
  });

  afterAll(() => index?.drop());

  async function search(text: string, span: { fromHeight?: number; toHeight?: number } = {}) {
    return findMessages(index.db, { text, ...span }, { first: ALL });
  }

  /** What `analytics.messages` executes, with its arguments. */
  const searchOf = (text: string) => async (db: Db) => {
    const { rows } = await sql<{ source: string }>`
      select prosrc as source from pg_proc where oid = 'analytics.messages'::regproc`.execute(index.db);
    const values = [`'${text}'`, "5", "1::int8", "2147483646::int8", "null::int8"];
    const statement = values.reduce(
      (one, value, place) => one.replaceAll(`$${place + 1}`, value),
      rows[0]?.source ?? "",
    );
    await sql.raw(statement).execute(db);
  };

  /** Messages with all words, by an own rule: what is between spaces and punctuation. */
  const withWords = (words: readonly string[]) =>
    messages.filter(({ text }) => {
      const own = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
      return words.every((word) => own.includes(word));
    });

  describe("messages by word", () => {
    const words = [...new Set(messages.flatMap(({ text }) => text.toLowerCase().match(/\b[a-z]+\b/g) ?? []))];

    test("every word of every message finds what has it, and nothing else", async () => {
      expect(words.length).toBeGreaterThan(3);
      expect(messages.length).toBeGreaterThan(20);
      for (const word of words) {
        const expected = withWords([word]).map(({ id, text }) => ({ id, text }));
        expect({ word, found: await search(word) }).toEqual({ word, found: expected });
      }
    });

    test("several words have to be in one message, in any case and order", async () => {
      const texts = messages.map(({ text }) => [...new Set(text.toLowerCase().match(/\b[a-z]+\b/g))]);
      const [one, other] = texts.find((some) => some.length > 1) as [string, string];
      const found = await search(`${other.toUpperCase()} ${one}`);
      expect(found).toEqual(withWords([one, other]).map(({ id, text }) => ({ id, text })));
      expect(found.length).toBeGreaterThan(0);
      expect(await search(`${one} nosuchword`)).toEqual([]);
    });

    test("pages of any size continue each other, within heights", async () => {
      const [word = ""] = words;
      const expected = withWords([word]);
      const [fromHeight, toHeight] = [expected.at(-2)?.height ?? 0, expected[1]?.height ?? 0];
      const inSpan = expected.filter(({ height }) => height >= fromHeight && height <= toHeight);
      for (const first of [1, 3, 7]) {
        const ids: Buffer[] = [];
        for (;;) {
          const page = await findMessages(index.db, { text: word, fromHeight, toHeight }, { first, after: ids.at(-1) });
          ids.push(...page.map(({ id }) => id));
          if (page.length < first) break;
        }
        expect(ids).toEqual(inSpan.map(({ id }) => id));
      }
      expect(await search(word, { fromHeight: blocks.length + 1 })).toEqual([]);
    });

    test("are found by the index", async () => {
      const plans = new QueryPlans(index.url);
      try {
        const nodes = await plans.of(searchOf(words[0] ?? ""));
        expect(usedIndexes(nodes)).toContain(MESSAGE_INDEX.name);
        expect(scannedTables(nodes).filter((table) => table !== "head")).toEqual([]);
      } finally {
        await plans.close();
      }
    });
  });

  describe("the index over messages", () => {
    test("is dropped and created by the setting, and left as it is without one", async () => {
      const noted = async () => (await index.db.selectFrom("deferred_indexes").select("name").execute()).length;
      await arrangeMessageIndex({ db: index.db, log: silentLog }, true);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([true, 0]);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, false);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([false, 0]);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, undefined);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([false, 0]);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, true);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, true);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([false, 1]);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, false);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([false, 0]);
      await arrangeMessageIndex({ db: index.db, log: silentLog }, true);
      await createDeferredIndexes({ db: index.db, log: silentLog }, NEVER);
      expect([await hasMessageIndex(index.db), await noted()]).toEqual([true, 0]);
    });

    test("is left out during a long fill, and created again", async () => {
      await deferIndexes(index.db, ["raw_blocks"]);
      expect(await hasMessageIndex(index.db)).toBe(false);
      await createDeferredIndexes({ db: index.db, log: silentLog }, NEVER);
      expect(await hasMessageIndex(index.db)).toBe(true);
    });
  });

  describe("hostile messages", () => {
    const signer = quickSigner(Buffer.alloc(32, 7));
    const plain = (text: string) => Buffer.concat([Buffer.of(0), Buffer.from(text)]);
    const HOSTILE: readonly (readonly [name: string, message: Buffer, text: string | undefined])[] = [
      [
        "markup",
        plain("<img src=x onerror=alert(1)> evil &amp; %s ' ; drop"),
        "<img src=x onerror=alert(1)> evil &amp; %s ' ; drop",
      ],
      ["1,023 characters without a space", plain("x".repeat(1_023)), "x".repeat(1_023)],
      ["the longest word of all", plain("y".repeat(65_534)), "y".repeat(65_534)],
      ["invalid UTF-8", Buffer.from("00ff41c0af", "hex"), undefined],
      ["half a character", Buffer.from("00e38182e3", "hex"), undefined],
      ["a zero byte", plain("before\0after"), undefined],
      ["encrypted", Buffer.concat([Buffer.of(1), Buffer.from("secret")]), undefined],
      ["a harvesting request", Buffer.from(`fe${"2a".repeat(100)}`, "hex"), undefined],
      ["only a mark", Buffer.of(0), undefined],
      ["nothing", Buffer.alloc(0), undefined],
      ["Japanese", plain("こんにちは世界 ありがとう"), "こんにちは世界 ありがとう"],
      ["an emoji", plain("🎉 party"), "🎉 party"],
    ];
    const network = chain.network;
    const common = { signer, recipient: Buffer.alloc(24, 0x98), mosaics: [], maxFee: 0n, deadline: 1 };

    function blockOf(transactions: readonly Buffer[], isNemesis: boolean): Buffer {
      const none = Buffer.alloc(32);
      return writeBlock(
        {
          type: isNemesis ? BLOCK_TYPE.nemesis : BLOCK_TYPE.normal,
          ...{ network: network.identifier, height: 1, timestamp: 1, difficulty: 1n, feeMultiplier: 1 },
          generationHashProof: Buffer.alloc(80),
          ...{ previousBlockHash: none, transactionsHash: none, receiptsHash: none, stateHash: none },
          beneficiaryAddress: Buffer.alloc(24),
          footer: isNemesis
            ? {
                votingEligibleAccountsCount: 0,
                harvestingEligibleAccountsCount: 0n,
                totalVotingBalance: 0n,
                previousImportanceBlockHash: none,
              }
            : undefined,
          transactions,
        },
        signer,
      );
    }

    const messagesIn = async (block: Buffer) => {
      const { rows } = await sql<{ place: string; message: string }>`
        select place::text, message from analytics.block_messages(${block})`.execute(index.db);
      return rows.map(({ place, message }) => [Number(place), message] as const);
    };

    test.each([false, true])("are read or left out, also in aggregates (first block: %s)", async (isNemesis) => {
      const transfers = HOSTILE.map(([, message]) => generateTransfer({ ...common, message }, network));
      const embedded = HOSTILE.map(([, message]) => ({ ...common, message }));
      const aggregate = generateAggregate(
        { signer, cosigners: [], transfers: embedded, maxFee: 0n, deadline: 1 },
        network,
      );
      const expected = HOSTILE.flatMap(([, , text], place) => (text ? [[(place + 1) << 12, text]] : []));
      const inside = HOSTILE.flatMap(([, , text], place) => (text ? [[place + 1, text]] : []));
      expect(await messagesIn(blockOf([aggregate, ...transfers], isNemesis))).toEqual([...inside, ...expected]);
    });

    test("are in the index, and found", async () => {
      const height = blocks.length;
      const block = blockOf(
        HOSTILE.map(([, message]) => generateTransfer({ ...common, message }, network)),
        false,
      );
      await index.db.updateTable("raw_blocks").set({ block }).where("height", "=", height).execute();
      for (const [words, place] of [
        ["EVIL drop", 0],
        ["こんにちは世界", 10],
        ["ありがとう", 10],
        ["PARTY", 11],
      ] as const) {
        expect((await search(words)).map(({ id }) => id)).toEqual([encodeEntityId(height, place)]);
      }
      // Words in Japanese do not end where a reader's would.
      expect(await search("世界")).toEqual([]);
    });

    test("bytes that are no block have no messages, and no error", async () => {
      const random = new SeededRandom(Number(process.env.TEST_SEED ?? Date.now() % 1_000_000));
      const good = blockOf(
        HOSTILE.map(([, message]) => generateTransfer({ ...common, message }, network)),
        false,
      );
      for (let round = 0; round < 300; round += 1) {
        const bytes = Buffer.from(good.subarray(0, random.below(good.length)));
        for (let change = 0; change < 5 && bytes.length > 0; change += 1) {
          bytes[random.below(bytes.length)] = random.below(256);
        }
        // No promise about what is found: only that nothing fails.
        await sql`select analytics.block_words(1, ${bytes})`.execute(index.db);
      }
    });

    test("a block of more than 16 MiB is searched without having its words", async () => {
      const count = 18_000;
      const large = blockOf(
        Array.from({ length: count }, (_, place) =>
          generateTransfer({ ...common, message: plain(`${place} `.repeat(150)) }, network),
        ),
        false,
      );
      expect(large.length).toBeGreaterThan(16 * 1024 * 1024);
      const { rows } = await sql<{ words: string[] }>`select analytics.block_words(8192, ${large}) as words`.execute(
        index.db,
      );
      expect(rows[0]?.words).toEqual(["* 1"]);
    });
  });

  describe("names by their beginning", () => {
    const registered = new Map<string, bigint>();
    const names = new Map<bigint, string>();
    for (const { transactions } of blocks) {
      for (const { entity, embedded } of transactions) {
        for (const one of [entity, ...embedded.map((inside) => inside.entity)]) {
          if (one.kind !== "namespaceRegistration") continue;
          const parent = one.registrationType === 1 ? names.get(one.durationOrParentId) : undefined;
          const name = parent === undefined ? one.name.toString() : `${parent}.${one.name.toString()}`;
          names.set(one.id, name);
          registered.set(name, one.id);
        }
      }
    }
    const childrenOf = (parent: string | undefined, prefix: string) =>
      [...registered]
        .map(([name, id]) => {
          const dot = name.lastIndexOf(".");
          return { id, name: name.slice(dot + 1), parent: dot < 0 ? undefined : name.slice(0, dot) };
        })
        .filter((one) => one.parent === parent && one.name.startsWith(prefix))
        .map(({ id, name }) => ({ id, name }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));

    test("of roots and of children, in pages", async () => {
      const parents = [undefined, ...registered.keys()];
      let children = 0;
      for (const parent of parents) {
        const parentId = parent === undefined ? undefined : registered.get(parent);
        const all = childrenOf(parent, "");
        if (parent !== undefined) children += all.length;
        for (const prefix of ["", ...all.flatMap(({ name }) => [name.slice(0, 1), name.slice(0, 4), name])]) {
          const expected = childrenOf(parent, prefix);
          expect(await findChildNames(index.db, { parentId, prefix }, { first: ALL })).toEqual(expected);
          const after = expected[0]?.name;
          expect(await findChildNames(index.db, { parentId, prefix }, { first: 2, after })).toEqual(
            expected.slice(1, 3),
          );
        }
      }
      expect(registered.size).toBeGreaterThan(10);
      expect(children).toBeGreaterThan(3);
    });

    // The last test: of a small table, PostgreSQL reads all rows.
    test("one after another over an index, however often they were registered", async () => {
      await sql`insert into namespace_registrations (id, namespace_id, name)
        select int8send(n) || '\\x00000000'::bytea, int8send(n), 'made-up-' || n from generate_series(1, 20000) n`.execute(
        index.db,
      );
      await sql`analyze namespace_registrations`.execute(index.db);
      const plans = new QueryPlans(index.url);
      try {
        for (const parentId of [undefined, 1n]) {
          const nodes = await plans.of((db) => findChildNames(db, { parentId, prefix: "a" }, { first: 5 }));
          expect(usedIndexes(nodes)).toEqual(["namespace_registrations_name"]);
        }
      } finally {
        await plans.close();
      }
    });
  });
});
