import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { firstValueFrom, type Observable, toArray } from "rxjs";
import sdk from "symbol-sdk-v2";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { describeRecorded } from "../support/describe-chains.js";
import { publishedApi } from "../support/openapi.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { renderState } from "../support/render-state.js";
import { RestClient } from "../support/rest-client.js";
import { SeededRandom } from "../support/seeded-random.js";
import { type StateCollection, stateCollections } from "../support/state-collections.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

interface RecordedState {
  readonly kind: StateKind;
  readonly key: string;
  readonly value: string;
}

const NAMESPACE_REGISTRATION = 16718;
/** Drawn ones, in place of all. */
const [VALUES, PAIRS, MOSAICS] = [12, 8, 8];
/** Entries of which `npm test` requests each by itself. */
const ENTRIES = 150;

describeRecorded("state of the recorded chain over REST", (chain) => {
  const api = publishedApi();
  const recorded = chain.lines<RecordedState>("states.jsonl.gz");
  const recordedPaths = chain.lines<Omit<RecordedState, "value"> & { readonly path: string }>("state-paths.jsonl.gz");
  const random = new SeededRandom();
  let served: RecordedStateGateway;
  let rest: RestClient;
  /** Entries of each list, oldest first. */
  const lists = new Map<StateKind, AnyEntry[]>();

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain);
    rest = new RestClient(served.url, api);
    for (const { kind, list } of stateCollections) {
      if (list) lists.set(kind, await rest.all(list, { order: "asc" }));
    }
  });

  afterAll(async () => {
    process.stderr.write(`validated answers of state: ${rest?.validated}\n`);
    await served?.close();
  });

  /** Keys of the recorded entries of a kind in the form of REST: ids are little-endian at the node. */
  function recordedKeys(kind: StateKind): string[] {
    return recorded.filter((one) => one.kind === kind).map(({ key }) => restKey(key));
  }

  const listed = stateCollections.filter(({ list }) => list !== undefined);

  test.each(listed)(
    "$kind: the list has the recorded entries, each once, and both orders agree",
    async ({ kind, list = "", keyOf, hasId }) => {
      const entries = lists.get(kind) ?? [];
      expect(entries.map(keyOf).sort()).toEqual(recordedKeys(kind).sort());
      expect(await rest.all(list)).toEqual(entries.toReversed());
      if (!hasId) return;
      const ids = entries.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort());
      expect(await rest.all(list, { orderBy: "id", pageSize: 17 })).toEqual(entries.toReversed());
    },
  );

  test.each(listed.filter(({ hasId }) => hasId))("$kind: pages after an id", async ({ kind, list = "" }) => {
    const entries = lists.get(kind) ?? [];
    for (const order of ["asc", "desc"]) {
      const ordered = order === "asc" ? entries : entries.toReversed();
      const walked: AnyEntry[] = [];
      for (;;) {
        const offset = walked.at(-1)?.id;
        const page = await rest.page(list, { order, pageSize: 37, ...(offset && { offset }) });
        expect(page.pagination.totalEntries).toBe(entries.length);
        walked.push(...page.data);
        if (page.data.length < 37) break;
      }
      expect(walked).toEqual(ordered);
      const place = random.below(entries.length);
      const second = await rest.page(list, { order, pageSize: 10, pageNumber: 2, offset: ordered[place].id });
      expect(second.data).toEqual(ordered.slice(place + 11, place + 21));
    }
  });

  test.each(stateCollections.filter(({ keys, list }) => keys && list))(
    "$kind: all by keys",
    async ({ kind, list = "", keys = "", keyOf, ...of }) => {
      const byKey = new Map((lists.get(kind) ?? []).map((entry) => [keyOf(entry), entry]));
      const wanted = recordedKeys(kind).slice(0, of.maxKeys ?? 1000);
      const missing = "AB".repeat((wanted[0] ?? "").length / 2);
      const asked = kind.endsWith("ccount") || kind === "accountRestriction" ? wanted : [missing, ...wanted];
      expect(await rest.post(list, { [keys]: [...asked.slice(0, (of.maxKeys ?? 1000) - 1), wanted[0]] })).toEqual(
        asked.slice(0, (of.maxKeys ?? 1000) - 1).flatMap((key) => byKey.get(key) ?? []),
      );
    },
  );

  test.each(listed)(
    "$kind: every filter, alone and with another, finds the matching entries and counts them exactly",
    async ({ kind, list = "", filters }) => {
      const entries = (lists.get(kind) ?? []).toReversed();
      const names = Object.keys(filters);
      const valuesOf = (name: string) => [...new Set(entries.map((entry) => filters[name]?.(entry)))];
      const expectFound = async (query: Record<string, string | number>) => {
        const holds = (entry: AnyEntry) =>
          Object.entries(query).every(([name, value]) => filters[name]?.(entry) === value);
        expect({ query, found: await rest.all(list, query) }).toEqual({ query, found: entries.filter(holds) });
      };
      for (const name of names) {
        const values = valuesOf(name).filter((value) => value !== undefined);
        for (const value of random.some(values, Math.min(values.length, VALUES))) await expectFound({ [name]: value });
      }
      for (let count = 0; count < PAIRS && names.length > 1; count++) {
        const one = entries[random.below(entries.length)];
        const other = random.below(3) === 0 ? entries[random.below(entries.length)] : one;
        const chosen = names.filter(() => random.below(2) === 0);
        const query = chosen.map((name, place) => [name, filters[name]?.(place === 0 ? one : other)] as const);
        await expectFound(
          Object.fromEntries(query.filter((pair): pair is [string, string | number] => pair[1] !== undefined)),
        );
      }
    },
  );

  test("state paths equal the recorded ones, for every entry and for absent keys", async () => {
    let compared = 0;
    for (const { kind, key, path } of random.sample(recordedPaths, ENTRIES)) {
      if (key === "ABSENT") continue;
      const { one } = stateCollections.find((collection) => collection.kind === kind) as StateCollection;
      const body = await rest.get<{ raw: string; tree: { type: number; value?: string }[] }>(
        `${one(restKey(key))}/merkle`,
      );
      expect({ kind, key, raw: body.raw }).toEqual({ kind, key, raw: path });
      compared += 1;
    }
    process.stderr.write(`state paths as recorded: ${compared}/${recordedPaths.length - 9}\n`);
    const absent = await rest.get<{ tree: { type: number }[] }>(`/metadata/${"AB".repeat(32)}/merkle`);
    expect(absent.tree.length).toBeGreaterThan(0);
  });

  test("every recorded entry is answered by its key, field by field", async () => {
    let equal = 0;
    for (const { kind, key, value } of random.sample(recorded, ENTRIES)) {
      const { one, keyOf } = stateCollections.find((collection) => collection.kind === kind) as StateCollection;
      const entry = await rest.get<AnyEntry>(one(restKey(key)));
      const { meta, ...body } = entry;
      const listed = lists.get(kind)?.find((other) => keyOf(other) === restKey(key));
      if (listed) expect(entry).toEqual(listed);
      const expected = renderState(kind, Buffer.from(value, "hex"), Buffer.from(key, "hex"), body.id) as AnyEntry;
      expect({ kind, key, ...body, hasMeta: meta !== undefined }).toEqual({
        kind,
        key,
        ...expected,
        meta: undefined,
        hasMeta: kind === "namespace",
      });
      equal += 1;
    }
    process.stderr.write(`state entries over REST, field by field: ${equal}/${recorded.length}\n`);
  });

  test("symbol-sdk 2 encodes every body as the recorded bytes", async () => {
    const factory = new sdk.RepositoryFactoryHttp(rest.url, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: chain.json<{ generationHashSeed: string }>("network.json").generationHashSeed,
      epochAdjustment: 0,
    });
    const pageSize = 100;
    const all = <T>(stream: Observable<T>) => firstValueFrom(stream.pipe(toArray()));
    const namespaces = await all(factory.createNamespaceRepository().streamer().search({ pageSize }));
    const multisigs = factory.createMultisigRepository();
    const ofKind: Record<StateKind, readonly { serialize(): Uint8Array }[]> = {
      account: await all(factory.createAccountRepository().streamer().search({ pageSize })),
      mosaic: await all(factory.createMosaicRepository().streamer().search({ pageSize })),
      namespace: namespaces
        .filter(({ depth }) => depth === 1)
        .map((root) => ({
          serialize: () => root.serialize(namespaces.filter(({ levels }) => levels[0]?.equals(root.id))),
        })),
      multisig: await Promise.all(
        recordedKeys("multisig").map((key) => {
          const address = sdk.Address.createFromRawAddress(encodeAddress(Buffer.from(key, "hex")));
          return firstValueFrom(multisigs.getMultisigAccountInfo(address));
        }),
      ),
      metadata: (await all(factory.createMetadataRepository().streamer().search({ pageSize }))).map(
        ({ metadataEntry }) => metadataEntry,
      ),
      hashLock: await all(factory.createHashLockRepository().streamer().search({ pageSize })),
      secretLock: await all(factory.createSecretLockRepository().streamer().search({ pageSize })),
      accountRestriction: await all(factory.createRestrictionAccountRepository().streamer().search({ pageSize })),
      mosaicRestriction: await all(factory.createRestrictionMosaicRepository().streamer().search({ pageSize })),
    };
    for (const [kind, entries] of Object.entries(ofKind)) {
      const values = recorded.filter((one) => one.kind === kind).map(({ value }) => value);
      const made = entries.map((entry) => Buffer.from(entry.serialize()).toString("hex").toUpperCase());
      // A request for a child namespace returned the bytes of its root.
      expect({ kind, made: made.sort() }).toEqual({ kind, made: [...new Set(values)].sort() });
      process.stderr.write(`bodies that are the recorded bytes to symbol-sdk 2: ${made.length} of kind ${kind}\n`);
    }
  });

  describe("accounts", () => {
    const accounts = () => lists.get("account") ?? [];

    test("by public key", async () => {
      const known = accounts().filter(({ account }) => !/^0+$/.test(account.publicKey));
      expect(known.length).toBeGreaterThan(100);
      for (const entry of known.slice(0, 40))
        expect(await rest.get(`/accounts/${entry.account.publicKey}`)).toEqual(entry);
      const asked = known.slice(0, 100);
      expect(await rest.post("/accounts", { publicKeys: asked.map(({ account }) => account.publicKey) })).toEqual(
        asked,
      );
      const paths = await Promise.all(
        ["address", "publicKey"].map((name) => rest.get(`/accounts/${known[0].account[name]}/merkle`)),
      );
      expect(paths[0]).toEqual(paths[1]);
    });

    test("that own a mosaic, by id and by balance, from every position on", async () => {
      const mosaics = [...new Set(accounts().flatMap(({ account }) => account.mosaics.map(({ id }: AnyEntry) => id)))];
      expect(mosaics.length).toBeGreaterThan(20);
      for (const mosaicId of random.some(mosaics, MOSAICS)) {
        const holders = accounts().filter((entry) => balanceOf(entry, mosaicId) > 0n);
        expect(await rest.all("/accounts", { mosaicId, order: "asc" })).toEqual(holders);
        const byBalance = holders.toSorted(
          (a, b) => compare(balanceOf(a, mosaicId), balanceOf(b, mosaicId)) || compare(a.id, b.id),
        );
        const query = { mosaicId, orderBy: "balance" };
        expect(await rest.all("/accounts", { ...query, order: "asc" })).toEqual(byBalance);
        expect(await rest.all("/accounts", { ...query, order: "desc", pageSize: 13 })).toEqual(byBalance.toReversed());
        const place = random.below(byBalance.length);
        const { id } = byBalance[place];
        const amount = balanceOf(byBalance[place], mosaicId);
        const behindId = await rest.page("/accounts", { ...query, order: "asc", offset: id, pageSize: 10 });
        expect(behindId.data).toEqual(byBalance.slice(place + 1, place + 11));
        expect(behindId.pagination.totalEntries).toBe(holders.length);
        const behindAmount = await rest.page("/accounts", {
          ...query,
          order: "desc",
          offset: String(amount),
          pageSize: 10,
        });
        const smaller = byBalance.toReversed().filter((entry) => balanceOf(entry, mosaicId) < amount);
        expect(behindAmount.data).toEqual(smaller.slice(0, 10));
        const one = await rest.all("/accounts", { ...query, address: byBalance[place].account.address });
        expect(one).toEqual([byBalance[place]]);
      }
    });
  });

  describe("namespaces", () => {
    const namespaces = () => lists.get("namespace") ?? [];

    /** Last parts of names by id, from the chain's transactions. */
    async function registrations(): Promise<Map<string, { name: string; parentId?: string }>> {
      const found = await rest.all<AnyEntry>("/transactions/confirmed", {
        type: NAMESPACE_REGISTRATION,
        embedded: "true",
        order: "asc",
      });
      return new Map(found.map(({ transaction }) => [transaction.id, transaction]));
    }

    function fullName(names: Map<string, { name: string }>, { namespace }: AnyEntry): string {
      const levels = [namespace.level0, namespace.level1, namespace.level2].filter((level) => level !== undefined);
      return levels.map((level) => names.get(level)?.name).join(".");
    }

    test("show whether they are active at the head", () => {
      for (const { meta, namespace } of namespaces()) {
        expect(meta).toEqual({ active: BigInt(namespace.endHeight) > 596n, index: expect.any(Number) });
      }
      expect(new Set(namespaces().map(({ meta }) => meta.active))).toEqual(new Set([true, false]));
    });

    test("have indexes by which there are as many registrations as the node counts", () => {
      const kept = namespaces().reduce((sum, { meta }) => sum + meta.index + 1, 0);
      expect(kept).toBe(diagnosticCounter("NS C DS"));
      const roots = namespaces().filter(({ namespace }) => namespace.depth === 1);
      expect(roots).toHaveLength(diagnosticCounter("NS C"));
      expect(roots.filter(({ meta }) => meta.index > 0)).toHaveLength(10);
    });

    /** The node's counts: names are numbers in base 27, with letters from 1. */
    function diagnosticCounter(name: string): number {
      const numberOf = (letter: string) => BigInt(letter === " " ? 0 : letter.charCodeAt(0) - 64);
      const id = [...name].reduce((sum, letter) => 27n * sum + numberOf(letter), 0n);
      const counters = Buffer.from(chain.packets().diagnosticCounters!, "hex");
      for (let offset = 0; offset < counters.length; offset += 16)
        if (counters.readBigUInt64LE(offset) === id) return Number(counters.readBigUInt64LE(offset + 8));
      throw new Error(`the node has no counter ${name}`);
    }

    test("names of namespaces include those of their parents", async () => {
      const names = await registrations();
      const ids = namespaces().map(({ namespace }) => namespace.level2 ?? namespace.level1 ?? namespace.level0);
      const answered = await rest.post<AnyEntry[]>("/namespaces/names", { namespaceIds: ids });
      expect(new Set(answered.map(({ id }) => id))).toEqual(new Set(ids));
      for (const { id, name, parentId } of answered) {
        expect({ name, parentId }).toEqual({ name: names.get(id)?.name, parentId: names.get(id)?.parentId });
      }
      const child = namespaces().find(({ namespace }) => namespace.depth === 3);
      const { level0, level1, level2 } = child.namespace;
      const three = await rest.post<AnyEntry[]>("/namespaces/names", { namespaceIds: [level2, "0".repeat(16)] });
      expect(three.map(({ id }) => id)).toEqual([level2, level1, level0]);
      expect(three.map(({ parentId }) => parentId)).toEqual([level1, level0, undefined]);
    });

    test("names of accounts and mosaics are those of the active namespaces linked to them", async () => {
      const names = await registrations();
      const active = namespaces().filter(({ meta }) => meta.active);
      const namesOf = (aliasOf: (alias: AnyEntry) => string | undefined, value: string) =>
        active.filter(({ namespace }) => aliasOf(namespace.alias) === value).map((entry) => fullName(names, entry));
      const addresses = (lists.get("account") ?? []).slice(0, 1000).map(({ account }) => account.address);
      const { accountNames } = await rest.post<AnyEntry>("/namespaces/account/names", { addresses });
      expect(accountNames).toEqual(
        addresses.map((address) => ({ address, names: namesOf((alias) => alias.address, address) })),
      );
      expect(accountNames.filter((one: AnyEntry) => one.names.length > 0).length).toBeGreaterThan(2);
      const mosaicIds = [...(lists.get("mosaic") ?? []).map(({ mosaic }) => mosaic.id), "AB".repeat(8)];
      const { mosaicNames } = await rest.post<AnyEntry>("/namespaces/mosaic/names", { mosaicIds });
      expect(mosaicNames).toEqual(
        mosaicIds.map((mosaicId) => ({ mosaicId, names: namesOf((alias) => alias.mosaicId, mosaicId) })),
      );
      expect(mosaicNames.filter((one: AnyEntry) => one.names.length > 0).length).toBeGreaterThan(1);
    });
  });

  test("multisig graphs cover all levels, up and down, from every account", async () => {
    const entries = new Map<string, AnyEntry>();
    for (const key of recordedKeys("multisig")) entries.set(key, await rest.get(`/account/${key}/multisig`));
    let deepest = 0;
    for (const [key, entry] of entries) {
      const graph = await rest.get<AnyEntry[]>(`/account/${key}/multisig/graph`);
      const expected: Record<number, string[]> = { 0: [key] };
      for (const [step, member] of [
        [-1, "multisigAddresses"],
        [1, "cosignatoryAddresses"],
      ] as const) {
        let level = [entry];
        for (let depth = step; ; depth += step) {
          const next = [...new Set(level.flatMap(({ multisig }) => multisig[member] as string[]))];
          if (next.length === 0) break;
          expected[depth] = next.sort();
          level = next.map((address) => entries.get(address));
          deepest = Math.max(deepest, Math.abs(depth));
        }
      }
      expect(graph.map(({ level }) => level)).toEqual(
        Object.keys(expected)
          .map(Number)
          .sort((a, b) => a - b),
      );
      for (const { level, multisigEntries } of graph) {
        const addresses = multisigEntries.map(({ multisig }: AnyEntry) => multisig.accountAddress);
        expect(addresses.sort()).toEqual(expected[level]);
        for (const one of multisigEntries) expect(one).toEqual(entries.get(one.multisig.accountAddress));
      }
    }
    expect(deepest).toBeGreaterThan(1);
  });

  test("locks of one account equal those found by the filter", async () => {
    for (const name of ["hash", "secret"]) {
      const kind = `${name}Lock` as StateKind;
      for (const address of new Set((lists.get(kind) ?? []).map(({ lock }) => lock.ownerAddress))) {
        const own = await rest.all(`/account/${address}/lock/${name}`);
        expect(own).toEqual(await rest.all(`/lock/${name}`, { address }));
        expect(own.length).toBeGreaterThan(0);
      }
    }
  });
});

/** The key in the form of REST: ids are little-endian at the node. */
function restKey(key: string): string {
  return key.length === 16 ? Buffer.from(key, "hex").reverse().toString("hex").toUpperCase() : key;
}

function balanceOf({ account }: AnyEntry, mosaicId: string): bigint {
  return BigInt(account.mosaics.find(({ id }: AnyEntry) => id === mosaicId)?.amount ?? 0);
}

function compare<Value extends bigint | string>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
