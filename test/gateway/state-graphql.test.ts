import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { getIntrospectionQuery } from "graphql";
import { encodeAddress } from "../../catapult/entity/address.js";
import { compareWithBody, isObject, missingOf } from "../support/compare-with-body.js";
import { describeRecorded } from "../support/describe-chains.js";
import { type Field, memberOf, selection } from "../support/graphql-selection.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { bodiesOfTable } from "../support/render-state.js";
import { IS_SHORT, SeededRandom } from "../support/seeded-random.js";
import { stateCollections } from "../support/state-collections.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

/** Of all namespaces; each takes several requests. */
const SOME = 12;
/** Fields of the query for lists. */
const LISTS = [
  "accounts",
  "mosaics",
  "namespaces",
  "metadata",
  "hashLocks",
  "secretLocks",
  "accountRestrictions",
  "mosaicRestrictions",
];
/** The same for the parts of blocks, whose fields come from two parts of a body. */
const CHAIN_LISTS = ["blocks", "transactions", "transactionStatements", "addressResolutions", "mosaicResolutions"];

/** Pages of 90 confirmed transactions, newest first, that cover the whole recorded chain. */
const PAGES_WITH_EVERY_TYPE = Array.from({ length: 22 }, (_, index) => index + 1);

/** Of them, which `npm test` draws. */
const SOME_PAGES = 6;

describeRecorded("state of the recorded chain over GraphQL", (chain) => {
  const random = new SeededRandom();
  let served: RecordedStateGateway;

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain);
  });

  afterAll(() => served?.close());

  async function ask(query: string, variables: object = {}): Promise<Any> {
    const { data, errors } = await served.ask(query, variables);
    expect({ query: query.slice(0, 80), errors }).toEqual({ query: query.slice(0, 80), errors: undefined });
    return data;
  }

  async function ofOne(path: string): Promise<Any> {
    const response = await fetch(`${served.url}${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.json();
  }

  test("typed fields of every list equal the bodies", async () => {
    const { __schema } = await ask(getIntrospectionQuery());
    const types = new Map<string, Any>(__schema.types.map((type: Any) => [type.name, type]));
    const fields: Field[] = types.get("Query").fields;
    let compared = 0;
    const missing = new Set<string>();
    for (const list of LISTS) {
      const type = fields.find(({ name }) => name === list)?.type;
      if (!type) throw new Error(`the schema has no list ${list}`);
      const { [list]: page } = await ask(`{ ${list}(page: { pageSize: 100 }) ${selection(type, types, 4)} }`);
      expect(page.data.length).toBeGreaterThan(3);
      for (const { body, ...entry } of page.data) {
        const { meta, ...nouns } = body;
        const noun: Any = Object.values(nouns).find(isObject);
        compared += compareWithBody(entry, { ...noun, ...meta });
        for (const name of missingOf(entry, { ...noun, ...meta })) missing.add(`${list}.${name}`);
      }
    }
    // Other fields cover these.
    expect([...missing].sort()).toEqual([
      "accounts.supplementalPublicKeys",
      "namespaces.level0",
      "namespaces.level1",
      "namespaces.level2",
      "namespaces.parentId",
    ]);
    process.stderr.write(`typed fields of state compared with bodies: ${compared}\n`);
    expect(compared).toBeGreaterThan(1_000);
  });

  test("typed fields of blocks, transactions and statements equal the bodies", async () => {
    const { __schema } = await ask(getIntrospectionQuery());
    const types = new Map<string, Any>(__schema.types.map((type: Any) => [type.name, type]));
    const fields: Field[] = types.get("Query").fields;
    let compared = 0;
    const missing = new Set<string>();
    const contents = new Map<string, number>();
    for (const list of CHAIN_LISTS) {
      const type = fields.find(({ name }) => name === list)?.type;
      if (!type) throw new Error(`the schema has no list ${list}`);
      const embedded = list === "transactions" ? ", embedded: true" : "";
      const pages = list === "transactions" ? random.sample(PAGES_WITH_EVERY_TYPE, SOME_PAGES) : [1, 4];
      for (const pageNumber of pages) {
        const { [list]: page } = await ask(
          `{ ${list}(page: { pageSize: 90, pageNumber: ${pageNumber} }${embedded}) ${selection(type, types, 4)} }`,
        );
        for (const { body, content, ...entry } of page.data) {
          const { meta, ...nouns } = body;
          const noun: Any = Object.values(nouns).find(isObject);
          const ofType = content ? memberOf(content) : {};
          // A hash lock refers to another hash than its own.
          compared += compareWithBody(ofType, noun);
          compared += compareWithBody(entry, { ...noun, ...meta });
          for (const name of missingOf({ ...ofType, ...entry }, { ...noun, ...meta })) missing.add(`${list}.${name}`);
          if (content) contents.set(content.__typename, (contents.get(content.__typename) ?? 0) + 1);
        }
      }
    }
    expect([...missing]).toEqual([]);
    if (!IS_SHORT)
      expect([...contents.keys()].sort()).toEqual(
        (types.get("TransactionContent").possibleTypes as { name: string }[])
          .map(({ name }) => name)
          // The recorded chain has no transaction of an unknown type.
          .filter((name) => name !== "UnknownContent")
          .sort(),
      );
    process.stderr.write(`typed fields of the chain compared with bodies: ${compared}\n`);
    expect(compared).toBeGreaterThan(5_000);
  });

  test("every list has the same entries by cursors as by pages, in both orders", async () => {
    const { __schema } = await ask(getIntrospectionQuery());
    const query: Any = __schema.types.find(({ name }: Any) => name === "Query");
    const lists = query.fields.filter(({ args }: Any) => args.some(({ name }: Any) => name === "page"));
    expect(lists.length).toBeGreaterThan(12);
    for (const { name } of lists) {
      const given = name === "pendingTransactions" ? "group: unconfirmed, " : "";
      for (const order of ["asc", "desc"]) {
        const walked: string[] = [];
        let after = "";
        for (let step = 0; step < 3; step++) {
          const { [name]: page } = await ask(
            `{ ${name}(${given}first: 30, order: ${order}${after}) { documents edges { cursor } pageInfo { endCursor hasNextPage } } }`,
          );
          walked.push(...page.documents);
          expect(page.edges.at(-1)?.cursor ?? null).toBe(page.pageInfo.endCursor);
          if (!page.pageInfo.hasNextPage) break;
          after = `, after: "${page.pageInfo.endCursor}"`;
        }
        const { [name]: page } = await ask(
          `{ ${name}(${given}page: { pageSize: 90, order: ${order} }) { documents pagination { totalEntries } } }`,
        );
        expect({ name, order, walked }).toEqual({ name, order, walked: page.documents });
        expect(walked).toHaveLength(Math.min(90, page.pagination.totalEntries));
      }
    }
  });

  test("one by its key equals the list entry, and REST", async () => {
    const singles = [
      ["account", "address: Address!", "address", "accounts { data { key: address document } }", "/accounts/"],
      ["mosaic", "id: ArtifactId!", "id", "mosaics { data { key: mosaicId document } }", "/mosaics/"],
      ["namespace", "id: ArtifactId!", "id", "namespaces { data { key: namespaceId document } }", "/namespaces/"],
    ] as const;
    for (const [field, variable, argument, list, path] of singles) {
      const { page } = await ask(`{ page: ${list} }`);
      for (const { key, document } of page.data) {
        const query = `query ($${variable}) { found: ${field}(${argument}: $${argument}) { document } }`;
        expect((await ask(query, { [argument]: key })).found).toEqual({ document });
        expect(await ofOne(`${path}${key}`)).toEqual(JSON.parse(document));
      }
    }
    const { mosaic } = await ask('{ mosaic(id: "0000000000000001") { supply } }');
    expect(mosaic).toBeNull();
  });

  test("a page of namespaces has their full names", async () => {
    const { namespaces } = await ask("{ namespaces(page: { pageSize: 100 }) { data { name levels namespaceId } } }");
    for (const { name, levels, namespaceId } of namespaces.data) {
      expect(name.split(".")).toHaveLength(levels.length);
      expect(levels.at(-1)).toBe(namespaceId);
    }
    expect(namespaces.data.some(({ levels }: Any) => levels.length === 3)).toBe(true);
  });

  test("holders of every mosaic, with their balances and shares, page by page", async () => {
    const { index } = served;
    const accounts: Any[] = await bodiesOfTable(index.db, "accounts");
    const { mosaics } = await ask("{ mosaics(page: { pageSize: 100 }) { data { mosaicId supply } } }");
    let shares = 0;
    for (const { mosaicId, supply } of mosaics.data) {
      const amounts = accounts
        .flatMap(({ account }) => account.mosaics)
        .filter(({ id }: Any) => id === mosaicId)
        .map(({ amount }: Any) => BigInt(amount))
        .toSorted((a: bigint, b: bigint) => Number(b - a));
      const found: Any[] = [];
      for (let after: string | null = null; ; ) {
        const { mosaic }: Any = await ask(
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
        expect(account.mosaics.find((one: Any) => one.mosaicId === mosaicId).amount).toBe(amount);
        expect(supplyThen).toBe(supply);
        const scaled = (BigInt(amount) * 10n ** 18n) / BigInt(supply);
        expect(share).toMatch(/^[01]\.\d{18}$/);
        expect(BigInt(share.replace(".", ""))).toBe(scaled);
        shares += 1;
      }
    }
    expect(shares).toBeGreaterThan(30);
  });

  test("namespaces by the beginning of their names", async () => {
    const prefixes =
      "query ($prefix: String!, $first: Int, $after: String) { namespacesByPrefix(prefix: $prefix, first: $first, after: $after) { data { name namespaceId namespace { name } } pageInfo { hasNextPage endCursor } } }";
    const { namespaces } = await ask("{ namespaces(page: { pageSize: 100 }) { data { name namespaceId levels } } }");
    for (const { name, namespaceId } of namespaces.data.slice(0, SOME)) {
      for (const prefix of [name, name.toUpperCase(), name.slice(0, -1)]) {
        const { namespacesByPrefix } = await ask(prefixes, { prefix, first: 1_000 });
        expect(namespacesByPrefix.data).toContainEqual({ name, namespaceId, namespace: { name } });
      }
    }
    const child = namespaces.data.find(({ levels }: Any) => levels.length === 2).name as string;
    const all = await ask(prefixes, { prefix: child.slice(0, child.indexOf(".") + 1), first: 1_000 });
    const [one, ...others] = all.namespacesByPrefix.data;
    const next = await ask(prefixes, { prefix: child.slice(0, child.indexOf(".") + 1), first: 1_000, after: one.name });
    expect(next.namespacesByPrefix.data).toEqual(others);
    expect((await ask(prefixes, { prefix: "no such.".replace(" ", "-") })).namespacesByPrefix.data).toEqual([]);
    for (const prefix of ["with space", "%", "ü", "a".repeat(195)]) {
      expect((await served.ask(prefixes, { prefix })).errors?.[0]?.message).toContain("beginning of a name");
    }
  });

  test("a namespace that has ended is found, with its last owner", async () => {
    const { index } = served;
    const query = `query ($id: ArtifactId!, $name: String!) {
      search(text: $name) { kind key } namespace(id: $id) { name } endedNamespace(id: $id) { namespaceId name height ownerAddress owner { address } }
    }`;
    const { namespaces } = await ask(
      "{ namespaces(page: { pageSize: 100 }) { data { name namespaceId ownerAddress levels } } }",
    );
    for (const { name, namespaceId: id, ownerAddress, levels } of namespaces.data.slice(0, SOME)) {
      const before = await ask(query, { id, name });
      expect(before).toMatchObject({ namespace: { name }, endedNamespace: null });
      const key = Buffer.from(id, "hex");
      const row = await index.db
        .selectFrom("namespaces")
        .selectAll()
        .where("namespace_id", "=", key)
        .executeTakeFirstOrThrow();
      await index.db.deleteFrom("namespaces").where("namespace_id", "=", key).execute();
      const after = await ask(query, { id, name });
      await index.db.insertInto("namespaces").values(row).execute();
      expect(after.namespace).toBeNull();
      expect(after.search).toContainEqual({ kind: "namespace", key: id });
      expect(after.endedNamespace).toMatchObject({
        namespaceId: id,
        name,
        ownerAddress,
        owner: { address: ownerAddress },
      });
      const { data } = await ask(
        "query ($root: ArtifactId!) { transactionStatements(artifactId: $root, receiptType: [16974]) { data { height } } }",
        { root: levels[0] },
      ).then(({ transactionStatements }) => transactionStatements);
      expect(after.endedNamespace.height).toBe(data[0]?.height ?? null);
    }
    expect((await ask(query, { id: "F".repeat(16), name: "no-such-name" })).endedNamespace).toBeNull();
  });

  test("texts are found as an IME or a decomposing keyboard types them", async () => {
    const { namespaces } = await ask("{ namespaces { data { name namespaceId } } }");
    const [{ name, namespaceId }] = namespaces.data;
    const fullWidth = (text: string) =>
      text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
    const query =
      "query ($text: String!) { search(text: $text) { kind key } namespacesByPrefix(prefix: $text) { data { name } } }";
    for (const text of [fullWidth(name), ` ${fullWidth(name.toUpperCase())}\u3000`]) {
      const { search, namespacesByPrefix } = await ask(query, { text });
      expect(search).toContainEqual({ kind: "namespace", key: namespaceId });
      expect(namespacesByPrefix.data).toContainEqual({ name });
    }
    expect((await ask('{ search(text: "\u{ff11}\u{ff10}") { kind key } }')).search).toEqual([
      { kind: "block", key: "10" },
    ]);
  });

  test("multisig entries and graphs", async () => {
    const { index } = served;
    for (const body of await bodiesOfTable(index.db, "multisigs")) {
      const text = encodeAddress(Buffer.from(body.multisig.accountAddress, "hex"));
      const { multisig, multisigGraph } = await ask(
        `query ($a: Address!) {
          multisig(address: $a) { address minApproval minRemoval cosignatoryAddresses multisigAddresses body document }
          multisigGraph(address: $a) { level entries { address } }
        }`,
        { a: text },
      );
      expect(multisig.document).toBe(JSON.stringify(body));
      compareWithBody(multisig, multisig.body.multisig);
      expect(multisigGraph.find(({ level }: Any) => level === 0).entries).toEqual([{ address: text }]);
    }
    const { multisig, multisigGraph } = await ask(
      "query ($a: Address!) { multisig(address: $a) { address } multisigGraph(address: $a) { level } }",
      { a: chain.json<{ accounts: { address: string }[] }>("network.json").accounts[0]?.address },
    );
    expect([multisig, multisigGraph]).toEqual([null, null]);
  });

  test("state paths equal those of REST, for every kind of key", async () => {
    for (const { kind, list, one, keyOf } of stateCollections) {
      if (!list) continue;
      const { data } = await ofOne(`${list}?pageSize=10`);
      const key = keyOf(data[0]);
      const { path } = await ask(
        `query ($key: Hex!) { path: statePath(kind: ${kind}, key: $key) { raw body document } }`,
        {
          key,
        },
      );
      const rest = await ofOne(`${one(key)}/merkle`);
      expect(path).toEqual({ raw: rest.raw, body: rest, document: JSON.stringify(rest) });
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
    const response = await fetch(`${served.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: `{ ${query} }` }),
    });
    const { errors } = (await response.json()) as Any;
    expect(errors[0].message).toContain(words);
    expect(errors[0].extensions.code).toMatch(/^Invalid(Argument|Content)$/);
  });
});
