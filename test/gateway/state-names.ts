import { describe, expect, test } from "@jest/globals";
import type { RecordedChain } from "../support/recorded-chain.js";
import type { RecordedStates } from "../support/recorded-states.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

const NAMESPACE_REGISTRATION = 16718;
/** Of all namespaces; each takes several requests. */
const SOME = 12;

/** Namespaces and the names that follow from them. */
export function describeNames(states: () => RecordedStates, chain: RecordedChain): void {
  describe("namespaces", () => {
    const namespaces = () => states().entries("namespace");

    /** Last parts of names by id, from the chain's transactions. */
    async function registrations(): Promise<Map<string, { name: string; parentId?: string }>> {
      const found = await states().rest.all<AnyEntry>("/transactions/confirmed", {
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
      const answered = await states().rest.post<AnyEntry[]>("/namespaces/names", { namespaceIds: ids });
      expect(new Set(answered.map(({ id }) => id))).toEqual(new Set(ids));
      for (const { id, name, parentId } of answered) {
        expect({ name, parentId }).toEqual({ name: names.get(id)?.name, parentId: names.get(id)?.parentId });
      }
      const child = namespaces().find(({ namespace }) => namespace.depth === 3);
      const { level0, level1, level2 } = child.namespace;
      const three = await states().rest.post<AnyEntry[]>("/namespaces/names", {
        namespaceIds: [level2, "0".repeat(16)],
      });
      expect(three.map(({ id }) => id)).toEqual([level2, level1, level0]);
      expect(three.map(({ parentId }) => parentId)).toEqual([level1, level0, undefined]);
    });

    test("names of accounts and mosaics are those of the active namespaces linked to them", async () => {
      const names = await registrations();
      const active = namespaces().filter(({ meta }) => meta.active);
      const namesOf = (aliasOf: (alias: AnyEntry) => string | undefined, value: string) =>
        active.filter(({ namespace }) => aliasOf(namespace.alias) === value).map((entry) => fullName(names, entry));
      const addresses = states()
        .entries("account")
        .slice(0, 1000)
        .map(({ account }) => account.address);
      const { accountNames } = await states().rest.post<AnyEntry>("/namespaces/account/names", { addresses });
      expect(accountNames).toEqual(
        addresses.map((address) => ({ address, names: namesOf((alias) => alias.address, address) })),
      );
      expect(accountNames.filter((one: AnyEntry) => one.names.length > 0).length).toBeGreaterThan(2);
      const mosaicIds = [
        ...states()
          .entries("mosaic")
          .map(({ mosaic }) => mosaic.id),
        "AB".repeat(8),
      ];
      const { mosaicNames } = await states().rest.post<AnyEntry>("/namespaces/mosaic/names", { mosaicIds });
      expect(mosaicNames).toEqual(
        mosaicIds.map((mosaicId) => ({ mosaicId, names: namesOf((alias) => alias.mosaicId, mosaicId) })),
      );
      expect(mosaicNames.filter((one: AnyEntry) => one.names.length > 0).length).toBeGreaterThan(1);
    });

    test("a page of namespaces has their full names", async () => {
      const { namespaces } = await states().ask(
        "{ namespaces(page: { pageSize: 100 }) { data { name levels namespaceId } } }",
      );
      for (const { name, levels, namespaceId } of namespaces.data) {
        expect(name.split(".")).toHaveLength(levels.length);
        expect(levels.at(-1)).toBe(namespaceId);
      }
      expect(namespaces.data.some(({ levels }: AnyEntry) => levels.length === 3)).toBe(true);
    });

    test("namespaces by the beginning of their names", async () => {
      const prefixes =
        "query ($prefix: String!, $first: Int, $after: String) { namespacesByPrefix(prefix: $prefix, first: $first, after: $after) { data { name namespaceId namespace { name } } pageInfo { hasNextPage endCursor } } }";
      const { namespaces } = await states().ask(
        "{ namespaces(page: { pageSize: 100 }) { data { name namespaceId levels } } }",
      );
      for (const { name, namespaceId } of namespaces.data.slice(0, SOME)) {
        for (const prefix of [name, name.toUpperCase(), name.slice(0, -1)]) {
          const { namespacesByPrefix } = await states().ask(prefixes, { prefix, first: 1_000 });
          expect(namespacesByPrefix.data).toContainEqual({ name, namespaceId, namespace: { name } });
        }
      }
      const child = namespaces.data.find(({ levels }: AnyEntry) => levels.length === 2).name as string;
      const all = await states().ask(prefixes, { prefix: child.slice(0, child.indexOf(".") + 1), first: 1_000 });
      const [one, ...others] = all.namespacesByPrefix.data;
      const next = await states().ask(prefixes, {
        prefix: child.slice(0, child.indexOf(".") + 1),
        first: 1_000,
        after: one.name,
      });
      expect(next.namespacesByPrefix.data).toEqual(others);
      expect((await states().ask(prefixes, { prefix: "no such.".replace(" ", "-") })).namespacesByPrefix.data).toEqual(
        [],
      );
      for (const prefix of ["with space", "%", "ü", "a".repeat(195)]) {
        expect((await states().served.ask(prefixes, { prefix })).errors?.[0]?.message).toContain("beginning of a name");
      }
    });

    test("a namespace that has ended is found, with its last owner", async () => {
      const { index } = states().served;
      const query = `query ($id: ArtifactId!, $name: String!) {
      search(text: $name) { kind key } namespace(id: $id) { name } endedNamespace(id: $id) { namespaceId name height ownerAddress owner { address } }
    }`;
      const { namespaces } = await states().ask(
        "{ namespaces(page: { pageSize: 100 }) { data { name namespaceId ownerAddress levels } } }",
      );
      for (const { name, namespaceId: id, ownerAddress, levels } of namespaces.data.slice(0, SOME)) {
        const before = await states().ask(query, { id, name });
        expect(before).toMatchObject({ namespace: { name }, endedNamespace: null });
        const key = Buffer.from(id, "hex");
        const row = await index.db
          .selectFrom("namespaces")
          .selectAll()
          .where("namespace_id", "=", key)
          .executeTakeFirstOrThrow();
        await index.db.deleteFrom("namespaces").where("namespace_id", "=", key).execute();
        const after = await states().ask(query, { id, name });
        await index.db.insertInto("namespaces").values(row).execute();
        expect(after.namespace).toBeNull();
        expect(after.search).toContainEqual({ kind: "namespace", key: id });
        expect(after.endedNamespace).toMatchObject({
          namespaceId: id,
          name,
          ownerAddress,
          owner: { address: ownerAddress },
        });
        const { data } = await states()
          .ask(
            "query ($root: ArtifactId!) { transactionStatements(artifactId: $root, receiptType: [16974]) { data { height } } }",
            { root: levels[0] },
          )
          .then(({ transactionStatements }) => transactionStatements);
        expect(after.endedNamespace.height).toBe(data[0]?.height ?? null);
      }
      expect((await states().ask(query, { id: "F".repeat(16), name: "no-such-name" })).endedNamespace).toBeNull();
    });

    test("texts are found as an IME or a decomposing keyboard types them", async () => {
      const { namespaces } = await states().ask("{ namespaces { data { name namespaceId } } }");
      const [{ name, namespaceId }] = namespaces.data;
      const fullWidth = (text: string) =>
        text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
      const query =
        "query ($text: String!) { search(text: $text) { kind key } namespacesByPrefix(prefix: $text) { data { name } } }";
      for (const text of [fullWidth(name), ` ${fullWidth(name.toUpperCase())}\u3000`]) {
        const { search, namespacesByPrefix } = await states().ask(query, { text });
        expect(search).toContainEqual({ kind: "namespace", key: namespaceId });
        expect(namespacesByPrefix.data).toContainEqual({ name });
      }
      expect((await states().ask('{ search(text: "\u{ff11}\u{ff10}") { kind key } }')).search).toEqual([
        { kind: "block", key: "10" },
      ]);
    });
  });
}
