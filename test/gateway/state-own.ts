import { describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { StateKind } from "../../catapult/state/kind.js";
import type { RecordedStates } from "../support/recorded-states.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

/** Drawn ones, in place of all. */
const MOSAICS = 8;

function balanceOf({ account }: AnyEntry, mosaicId: string): bigint {
  return BigInt(account.mosaics.find(({ id }: AnyEntry) => id === mosaicId)?.amount ?? 0);
}

function compare<Value extends bigint | string>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** What only one kind of state has. */
export function describeOwn(states: () => RecordedStates): void {
  describe("accounts", () => {
    const accounts = () => states().entries("account");

    test("by public key", async () => {
      const { rest } = states();
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
      const { rest, random } = states();
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

    test("holders of every mosaic, with their balances and shares, page by page", async () => {
      const { mosaics } = await states().ask("{ mosaics(page: { pageSize: 100 }) { data { mosaicId supply } } }");
      let shares = 0;
      for (const { mosaicId, supply } of mosaics.data) {
        const amounts = accounts()
          .flatMap(({ account }) => account.mosaics)
          .filter(({ id }: AnyEntry) => id === mosaicId)
          .map(({ amount }: AnyEntry) => BigInt(amount))
          .toSorted((a: bigint, b: bigint) => Number(b - a));
        const found: AnyEntry[] = [];
        for (let after: string | null = null; ; ) {
          const { mosaic }: AnyEntry = await states().ask(
            `query ($id: ArtifactId!, $after: EntityId) { mosaic(id: $id) { holders(first: 7, after: $after) {
            data { address amount supply share account { address mosaics { mosaicId amount } } }
            pageInfo { hasNextPage endCursor } pagination { totalEntries } } } }`,
            { id: mosaicId, after },
          );
          found.push(...mosaic.holders.data);
          expect(mosaic.holders.pagination.totalEntries).toBe(amounts.length);
          if (!mosaic.holders.pageInfo.hasNextPage) break;
          after = mosaic.holders.pageInfo.endCursor;
        }
        expect(found.map(({ amount }) => BigInt(amount))).toEqual(amounts);
        expect(new Set(found.map(({ address }) => address)).size).toBe(found.length);
        for (const { address, amount, supply: supplyThen, share, account } of found) {
          expect(account.address).toBe(address);
          expect(account.mosaics.find((one: AnyEntry) => one.mosaicId === mosaicId).amount).toBe(amount);
          expect(supplyThen).toBe(supply);
          const scaled = (BigInt(amount) * 10n ** 18n) / BigInt(supply);
          expect(share).toMatch(/^[01]\.\d{18}$/);
          expect(BigInt(share.replace(".", ""))).toBe(scaled);
          shares += 1;
        }
      }
      expect(shares).toBeGreaterThan(30);
    });
  });

  test("multisig graphs cover all levels, up and down, from every account", async () => {
    const { rest } = states();
    const entries = new Map<string, AnyEntry>();
    for (const key of states().keys("multisig")) entries.set(key, await rest.get(`/account/${key}/multisig`));
    let deepest = 0;
    for (const [key, entry] of entries) {
      const text = encodeAddress(Buffer.from(key, "hex"));
      const asked = await states().ask(
        "query ($a: Address!) { multisig(address: $a) { address body } multisigGraph(address: $a) { level entries { body } } }",
        { a: text },
      );
      expect(asked.multisig).toEqual({ address: text, body: entry });
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
      const bodies = ({ level, entries }: AnyEntry) => ({
        level,
        multisigEntries: entries.map(({ body }: AnyEntry) => body),
      });
      expect(asked.multisigGraph.map(bodies)).toEqual(graph);
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
    const other = states()
      .keys("account")
      .find((address) => !entries.has(address));
    const query = "query ($a: Address!) { multisig(address: $a) { address } multisigGraph(address: $a) { level } }";
    expect(await states().ask(query, { a: other })).toEqual({ multisig: null, multisigGraph: null });
  });

  test("locks of one account equal those found by the filter", async () => {
    const { rest } = states();
    for (const name of ["hash", "secret"]) {
      const kind = `${name}Lock` as StateKind;
      for (const address of new Set(
        states()
          .entries(kind)
          .map(({ lock }) => lock.ownerAddress),
      )) {
        const own = await rest.all(`/account/${address}/lock/${name}`);
        expect(own).toEqual(await rest.all(`/lock/${name}`, { address }));
        expect(own.length).toBeGreaterThan(0);
      }
    }
  });

  test.each([
    ['statePath(kind: mosaic, key: "00") { raw }', "8 bytes"],
    ['statePath(kind: metadata, key: "0000000000000000") { raw }', "32 bytes"],
    ["account { address }", "either address or publicKey"],
    ["accountsByIds { address }", "either addresses or publicKeys"],
    ["accounts(orderBy: balance) { data { address } }", "together with mosaicId"],
    ["accounts(offsetBalance: 5) { data { address } }", "together with the order by balance"],
    ["mosaics(page: { pageSize: 7 }) { data { supply } }", "pageSize"],
    ['metalFile(id: "abc") { size }', "base58"],
  ])("%s is rejected", async (query, words) => {
    const { errors } = await states().served.ask(`{ ${query} }`);
    expect(errors[0].message).toContain(words);
    expect(errors[0].extensions.code).toMatch(/^Invalid(Argument|Content)$/);
  });
}
