import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { sql } from "kysely";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import { Findings } from "../../indexer/check/findings.js";
import { checkStateLists } from "../../indexer/check/state-lists.js";
import { compareEntries } from "../support/compare-with-body.js";
import { describeRecorded } from "../support/describe-chains.js";
import { selection } from "../support/graphql-selection.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { type RecordedState, RecordedStates, restKey } from "../support/recorded-states.js";
import { renderState } from "../support/render-state.js";
import { ALL_KINDS, LISTED_KINDS, type ListedKind, pathOfEntry } from "../support/state-kinds.js";
import { describeBytesOfClient } from "./state-bytes.js";
import { describeNames } from "./state-names.js";
import { describeOwn } from "./state-own.js";
import { describeManyRows } from "./state-rows.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

/** Drawn ones, in place of all. */
const [VALUES, PAIRS] = [12, 8];
/** Entries of which `npm test` requests each by itself. */
const ENTRIES = 150;
const ABSENT = "AB".repeat(32);

describeRecorded("state of the recorded chain", (chain) => {
  const recordedPaths = chain.lines<Omit<RecordedState, "value"> & { readonly path: string }>("state-paths.jsonl.gz");
  let states: RecordedStates;

  beforeAll(async () => {
    states = new RecordedStates(await RecordedStateGateway.start(chain), chain.lines("states.jsonl.gz"));
    await states.read();
  });

  afterAll(async () => {
    process.stderr.write(`validated answers of state: ${states?.rest.validated}\n`);
    await states?.served.close();
  });

  describe.each(LISTED_KINDS)("$kind", (one: ListedKind) => {
    const { kind, of } = one;
    const { path, filters } = of;

    test("the list has the recorded entries, each once, and both orders agree", async () => {
      const { rest } = states;
      const entries = states.entries(kind);
      expect(entries.length).toBeGreaterThan(3);
      expect(entries.map((entry) => one.keyOf(entry)).sort()).toEqual(states.keys(kind).sort());
      expect(await rest.all(path)).toEqual(entries.toReversed());
      if (of.hasNoId) return;
      const ids = entries.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort());
      expect(await rest.all(path, { orderBy: "id", pageSize: 17 })).toEqual(entries.toReversed());
    });

    test("pages after an id, in both orders", async () => {
      if (of.hasNoId) return;
      const { rest, random } = states;
      const entries = states.entries(kind);
      for (const order of ["asc", "desc"]) {
        const ordered = order === "asc" ? entries : entries.toReversed();
        const walked: AnyEntry[] = [];
        for (let length = 37; length === 37; ) {
          const offset = walked.at(-1)?.id;
          const page = await rest.page(path, { order, pageSize: 37, ...(offset && { offset }) });
          expect(page.pagination.totalEntries).toBe(entries.length);
          walked.push(...page.data);
          length = page.data.length;
        }
        expect(walked).toEqual(ordered);
        const place = random.below(entries.length);
        const second = await rest.page(path, { order, pageSize: 10, pageNumber: 2, offset: ordered[place].id });
        expect(second.data).toEqual(ordered.slice(place + 11, place + 21));
      }
    });

    test("every filter, alone and with another, finds the matching entries and counts them exactly", async () => {
      const { rest, random } = states;
      const entries = states.entries(kind).toReversed();
      const names = Object.keys(filters);
      expect(names.sort()).toEqual(STATE_TABLES[kind].lists.map(({ name }) => name).sort());
      const expectFound = async (query: Record<string, string | number>) => {
        const holds = (entry: AnyEntry) =>
          Object.entries(query).every(([name, value]) => one.valueOf(entry, name) === value);
        expect({ query, found: await rest.all(path, query) }).toEqual({ query, found: entries.filter(holds) });
      };
      for (const name of names) {
        const values = [...new Set(entries.map((entry) => one.valueOf(entry, name)))];
        const there = values.filter((value) => value !== undefined);
        for (const value of random.some(there, Math.min(there.length, VALUES))) await expectFound({ [name]: value });
      }
      for (let count = 0; count < PAIRS && names.length > 1; count++) {
        const first = entries[random.below(entries.length)];
        const other = random.below(3) === 0 ? entries[random.below(entries.length)] : first;
        const chosen = names.filter(() => random.below(2) === 0);
        const query = chosen.map((name, place) => [name, one.valueOf(place === 0 ? first : other, name)] as const);
        await expectFound(
          Object.fromEntries(query.filter((pair): pair is [string, string | number] => pair[1] !== undefined)),
        );
      }
    });

    test("all by keys, in the order of the request, over REST and GraphQL", async () => {
      const byKey = new Map(states.entries(kind).map((entry) => [one.keyOf(entry), entry]));
      const { max = 1000, keys } = of;
      const wanted = states.keys(kind).slice(0, max - 2);
      // Nothing that is no address is asked as one.
      const missing = wanted[0]!.length === 48 ? [] : [ABSENT.slice(0, wanted[0]!.length)];
      const asked = [...missing, ...wanted];
      const found = asked.flatMap((key) => byKey.get(key) ?? []);
      if (keys) expect(await states.rest.post(path, { [keys]: [...asked, wanted[0]] })).toEqual(found);
      const [field, argument] = of.byKeys;
      const { [field]: entries } = await states.ask(`{ ${field}(${argument}: ${JSON.stringify(asked)}) { body } }`);
      expect(entries.map(({ body }: AnyEntry) => body)).toEqual(found);
    });

    test("typed fields of GraphQL equal the bodies, which are those of REST", async () => {
      const { __schema } = await states.ask(getIntrospectionQuery());
      const types = new Map<string, AnyEntry>(__schema.types.map((type: AnyEntry) => [type.name, type]));
      const { type } = types.get("Query").fields.find(({ name }: AnyEntry) => name === of.list);
      const { [of.list]: page } = await states.ask(
        `{ ${of.list}(page: { pageSize: 100, order: asc }) ${selection(type, types, 4)} }`,
      );
      expect(page.data.map(({ body }: AnyEntry) => body)).toEqual(states.entries(kind).slice(0, 100));
      const { compared, missing } = compareEntries(page.data);
      expect(compared).toBeGreaterThan(2 * page.data.length);
      // Other fields cover these.
      const covered = { account: ["supplementalPublicKeys"], namespace: ["level0", "level1", "level2", "parentId"] };
      expect(missing).toEqual(covered[kind as "account"] ?? []);
    });

    test("lists have a tag and are answered with 304 while they are the same; paths, of the node, have none", async () => {
      const { url } = states.served;
      const tag = (await fetch(url + path)).headers.get("etag") ?? "";
      const of304 = await fetch(url + path, { headers: { "if-none-match": tag } });
      const other = await fetch(`${url}/blocks`, { headers: { "if-none-match": tag } });
      const merkle = await fetch(`${url}${path}/${one.keyOf(states.entries(kind)[0])}/merkle`);
      expect([of304.status, other.status, merkle.status, merkle.headers.get("etag")]).toEqual([304, 200, 200, null]);
    });
  });

  describe.each(ALL_KINDS)("%s", (kind) => {
    test("every recorded entry is answered by its key, field by field", async () => {
      const listed = LISTED_KINDS.find((one) => one.kind === kind);
      const ofKind = states.recorded.filter((one) => one.kind === kind);
      for (const { key, value } of states.random.sample(ofKind, ENTRIES / ALL_KINDS.length)) {
        const entry = await states.rest.get<AnyEntry>(pathOfEntry(kind, restKey(key)));
        const { meta, ...body } = entry;
        if (listed) {
          const inList = states.entries(kind).find((other) => listed.keyOf(other) === restKey(key));
          expect(entry).toEqual(inList);
        }
        const expected = renderState(kind, Buffer.from(value, "hex"), Buffer.from(key, "hex"), body.id) as AnyEntry;
        const hasMeta = meta !== undefined;
        expect({ key, ...body, hasMeta }).toEqual({ key, ...expected, meta: undefined, hasMeta: kind === "namespace" });
      }
    });

    test("state paths equal the recorded ones, over REST and GraphQL, and prove that a key is absent", async () => {
      const ofKind = recordedPaths.filter((one) => one.kind === kind && one.key !== "ABSENT");
      let hasBranches = false;
      const pathIn = (key: string) =>
        states.rest.get<{ raw: string; tree: { type: number }[] }>(`${pathOfEntry(kind, key)}/merkle`);
      for (const { key, path } of states.random.sample(ofKind, ENTRIES / ALL_KINDS.length)) {
        const body = await pathIn(restKey(key));
        expect({ key, raw: body.raw }).toEqual({ key, raw: path });
        hasBranches ||= body.tree.length > 1;
        const query = `query ($key: Hex!) { path: statePath(kind: ${kind}, key: $key) { raw body } }`;
        expect((await states.ask(query, { key: restKey(key) })).path).toEqual({ raw: path, body });
      }
      const size = restKey(ofKind[0]!.key).length;
      // Addresses have a checksum.
      const other = states.keys("account").find((address) => !states.keys(kind).includes(address));
      const absent = size === 48 ? other : ABSENT.slice(0, size);
      if (absent) expect((await pathIn(absent)).tree.length > 0).toBe(hasBranches);
    });

    test("check finds nothing, and a total that is wrong", async () => {
      const { all, table, lists } = STATE_TABLES[kind];
      const found = async (change?: number) => {
        const differences: string[] = [];
        await states.served.index.db
          .transaction()
          .execute(async (trx) => {
            if (change !== undefined)
              await sql`update counters set count = count + 1 where ctid = any(array(
                select ctid from counters where collection = ${change} limit 1))`.execute(trx);
            await checkStateLists(trx, new Findings((one) => differences.push(`${one.table} ${one.key}`), 100));
            throw new Error("nothing is kept");
          })
          .catch((error) => expect(String(error)).toContain("nothing is kept"));
        return differences;
      };
      expect(await found()).toEqual([]);
      for (const counted of [all, ...lists.map((list) => list.counted)]) {
        if (counted === undefined) continue;
        expect(await found(counted)).toEqual([expect.stringMatching(`^counters collection=${counted} \\(${table}`)]);
      }
    });
  });

  describeOwn(() => states);
  describeNames(() => states, chain);
  describeBytesOfClient(() => states, chain);
});

describeManyRows();
