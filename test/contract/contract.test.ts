import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { CompatibilityMode } from "../../gateway/compatibility/compatibility.js";
import { type Document, OpenApi, publishedApi } from "../support/openapi.js";
import { closed } from "../support/own-openapi.js";
import { IS_SHORT, SeededRandom } from "../support/seeded-random.js";
import { ask, askRaw, type ContractAnswer, fillPath } from "./ask.js";
import { ABSENT, type Example, examplesOf } from "./examples.js";
import { type Operation, operationsOf } from "./operations.js";
import { Scene } from "./scene.js";
import { wrongBodies } from "./wrong-bodies.js";
import { isTakenByReference, wrongValues } from "./wrong-values.js";

/** Every list is requested with these too; `offset` is the id of its first entry. */
const PAGE = { pageSize: "10", pageNumber: "1", order: "asc", orderBy: "id" };
/** For entries that do not show their ids. */
const ANY_OFFSET = "000000000000000000000001";

/** Messages of catapult-rest that do not name the argument. */
const UNNAMED =
  /^(sorting by .* is not allowed|there was an error reading the inflation properties file|either ids or hashes must be provided)$/;

/** What `npm test` draws of an operation: parameters, and wrong values of each. */
const [PARAMETERS, WRONG_PARAMETERS, WRONG_VALUES] = [3, 5, 2];
const MIN_NEGATIVE_CASES = IS_SHORT ? 300 : 1_000;

const MODES: readonly CompatibilityMode[] = ["spec", "catapult-rest"];

describe("the published description of the interface", () => {
  const api = publishedApi();
  const operations = operationsOf(api);
  const urls = new Map<CompatibilityMode, string>();
  const own = new Map<CompatibilityMode, OpenApi>();
  const random = new SeededRandom();
  let scene: Scene;
  let examples: Readonly<Record<string, Example>>;

  beforeAll(async () => {
    scene = await Scene.start();
    examples = await examplesOf(scene);
    urls.set("spec", scene.url);
    urls.set("catapult-rest", await scene.startGateway({ COMPATIBILITY: "catapult-rest" }));
    await scene.index.stop();
    for (const [mode, url] of urls) {
      const served = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
      own.set(mode, new OpenApi(closed(served)));
    }
  });

  afterAll(() => scene?.stop());

  describe.each(MODES)("COMPATIBILITY=%s", (mode) => {
    const isReference = mode === "catapult-rest";
    const kept = new Set<string>();
    let negativeCases = 0;
    const urlOf = () => urls.get(mode) ?? "";
    /** Operations of our own description whose successful answers were validated, such as `GET /blocks/{height}`. */
    const described = new Set<string>();

    /** Validates an answer against the gateway's own description, which has to mention every field. */
    function expectDescribed({ asked, status, json, contentType }: ContractAnswer): void {
      const description = own.get(mode)!;
      const path = asked.path.split("?")[0]!;
      const template = description.pathOf(path) ?? "";
      const { content = {} } =
        description.document.paths[template]?.[asked.method.toLowerCase()]?.responses[status] ?? {};
      const mediaType = contentType.split(";")[0]!;
      const isText = status === 200 && !("application/json" in content);
      const problems = isText ? [] : description.validateResponse(asked.method, path, status, json);
      const hasType = mediaType in content || "application/octet-stream" in content;
      expect({ ...asked, status, mediaType, hasType, problems }).toEqual({
        ...asked,
        status,
        mediaType,
        hasType: true,
        problems: [],
      });
      if (status < 300) described.add(`${asked.method} ${template}`);
    }

    function expectKept(operation: Operation, { asked, status, json, text, contentType }: ContractAnswer): void {
      const shown = { ...asked, status, text: status < 300 ? "" : text };
      expect(shown).toEqual({ ...shown, status: operation.method === "PUT" ? 202 : 200, text: "" });
      expect(operation.statuses).toContain(status);
      expectDescribed({ asked, status, json, text, contentType });
      if (status === 200 && !operation.mediaTypes.includes("application/json")) {
        expect(text).not.toBe("");
        return;
      }
      expect(contentType).toMatch(/^application\/json/);
      const problems = api.validateResponse(operation.method, asked.path, status, json);
      expect({ ...asked, problems }).toEqual({ ...asked, problems: [] });
    }

    test.each(operations.map((operation) => [operation.operationId, operation] as const))(
      "%s",
      async (operationId, operation) => {
        const example = examples[operationId];
        if (!example) throw new Error(`there is no example of ${operationId}`);
        const described = own.get(mode)!.document.paths[operation.path]![operation.method.toLowerCase()];
        expect(described).toMatchObject({ operationId });
        const plain = await ask(urlOf(), operation, example);
        expectKept(operation, plain);
        const isList = Array.isArray(plain.json?.data);
        if (isList) expect(plain.json.data).not.toEqual([]);
        if (operation.method === "POST") expect(plain.json).not.toEqual([]);
        const queries = operation.parameters.filter((parameter) => parameter.in === "query");
        for (const { name } of random.sample(queries, PARAMETERS)) {
          const offset = plain.json?.data?.[0]?.id ?? ANY_OFFSET;
          const given = { ...PAGE, offset, ...example.query } as Record<string, string>;
          const names = [name, ...(example.beside?.[name] ?? [])];
          const query = Object.fromEntries(names.map((one) => [one, given[one]]));
          expect({ operationId, query }).not.toEqual({
            operationId,
            query: expect.objectContaining({ [name]: undefined }),
          });
          const answer = await ask(urlOf(), operation, example, query as Record<string, string>);
          expectKept(operation, answer);
          const mayBeEmpty = !isList || name === "offset" || example.findsNothing?.includes(name);
          if (!mayBeEmpty) expect({ ...answer.asked, data: answer.json.data }).not.toMatchObject({ data: [] });
          const withoutValue = await ask(urlOf(), operation, example, { [name]: "" });
          expect({ name, text: withoutValue.text }).toEqual({ name, text: plain.text });
        }
        kept.add(operationId);
      },
    );

    /** Rejected with the standard error body, which names the cause. */
    function expectRejected(answer: ContractAnswer, status: number, name: string, why: string): void {
      const { asked, json } = answer;
      const isArgument = status === 400 && name !== "the body";
      const expected = isReference && isArgument ? 409 : status;
      const code = { 400: "InvalidContent", 404: "ResourceNotFound", 409: "InvalidArgument" }[expected];
      const shown = { why, ...asked, status: answer.status, code: json?.code };
      expect(shown).toEqual({ ...shown, status: expected, code });
      expect(api.validate("ModelError", json)).toEqual([]);
      expectDescribed(answer);
      if (!isReference || !UNNAMED.test(json.message)) expect(json.message).toContain(name);
    }

    /** Accepted: nothing is found, or another page than that of the value. */
    function expectTaken(answer: ContractAnswer, name: string, why: string): void {
      const { asked, status, json } = answer;
      expect({ why, ...asked, isTaken: status === 200 || status === 404 }).toEqual({ why, ...asked, isTaken: true });
      // Every entry is below an upper bound beyond all of them.
      const isNarrowing = !(name in PAGE) && !/^to[A-Z]/.test(name);
      if (Array.isArray(json?.data) && isNarrowing) {
        expect({ why, ...asked, data: json.data }).toMatchObject({ data: [] });
      }
    }

    const withParameters = operations.filter(({ parameters }) => parameters.length > 0);
    test.each(withParameters.map((operation) => [operation.operationId, operation] as const))(
      "wrong parameters of %s",
      async (operationId, operation) => {
        const example = examples[operationId] ?? {};
        for (const parameter of random.sample(operation.parameters, WRONG_PARAMETERS)) {
          const { name } = parameter;
          const values = wrongValues(parameter);
          expect({ name, wrong: values.length }).not.toEqual({ name, wrong: 0 });
          for (const wrong of random.sample(values, WRONG_VALUES)) {
            const { texts, status, why } = wrong;
            const [text = ""] = texts;
            const answer =
              parameter.in === "path"
                ? await ask(urlOf(), operation, { ...example, path: { ...example.path, [name]: text } })
                : await ask(urlOf(), operation, example, { ...besideOf(example, name), [name]: texts });
            if (isReference && isTakenByReference(name, wrong)) expectTaken(answer, name, why);
            else expectRejected(answer, status, name, why);
            negativeCases += 1;
          }
        }
      },
    );

    /** Other parameters that a parameter requires. */
    function besideOf({ beside, query = {} }: Example, name: string): Record<string, string> {
      return Object.fromEntries((beside?.[name] ?? []).map((one) => [one, String(query[one])]));
    }

    const missable = operations.filter(({ statuses, path }) => statuses.includes(404) && path.includes("{"));
    test.each(missable.map((operation) => [operation.operationId, operation] as const))(
      "%s of what there is not",
      async (operationId, operation) => {
        const [{ name } = { name: "" }] = operation.parameters;
        const absent = ABSENT[name] ?? "";
        const path = { ...examples[operationId]?.path, [name]: absent };
        const answer = await ask(urlOf(), operation, { path });
        negativeCases += 1;
        if (!isReference || !operation.path.startsWith("/finalization/")) {
          expectRejected(answer, 404, absent, "not there");
          return;
        }
        const { status, json } = answer;
        expect({ status, json }).toEqual({ status: 404, json: { code: "NotFound", message: "" } });
        expectDescribed(answer);
      },
    );

    const atHeights = operations.filter(({ parameters }) => parameters.some(({ name }) => name === "height"));
    test.each(atHeights.map((operation) => [operation.operationId, operation] as const))(
      "%s at height 0",
      async (operationId, operation) => {
        const example = examples[operationId] ?? {};
        const isSearch = !operation.path.includes("{height}");
        const zero = { height: "0" };
        const path = isSearch ? (example.path ?? {}) : { ...example.path, ...zero };
        const { status, json } = await ask(urlOf(), operation, { ...example, path }, isSearch ? zero : {});
        if (isSearch) {
          const isPending = /unconfirmed|partial/.test(operation.path);
          // Transactions outside of blocks have height 0.
          expect({ status, isEmpty: json.data.length === 0 }).toEqual({ status: 200, isEmpty: !isPending });
        } else if (operation.path.startsWith("/network/")) {
          expect({ status, json }).toEqual({ status: 200, json: { startHeight: "N/A", rewardAmount: "0" } });
        } else {
          expect(status).toBe(404);
        }
      },
    );

    const withBody = operations.filter(({ body }) => body !== undefined);
    test.each(withBody.map((operation) => [operation.operationId, operation] as const))(
      "wrong bodies of %s",
      async (operationId, operation) => {
        for (const { body, status, name, why } of wrongBodies(examples[operationId]?.body)) {
          const asked = { method: operation.method, path: operation.path, body };
          const answer = await askRaw(urlOf(), asked);
          if (isReference && name === "payload" && why === "empty") expect(answer.status).toBe(202);
          else expectRejected(answer, status, name, why);
          negativeCases += 1;
        }
      },
    );

    const withList = withBody.filter(({ method }) => method === "POST");
    test.each(withList.map((operation) => [operation.operationId, operation] as const))(
      "%s of an empty list",
      async (operationId, operation) => {
        const [name = ""] = Object.keys(examples[operationId]?.body as object);
        const { status, json } = await ask(urlOf(), operation, {}, {}, { [name]: [] });
        const found = Array.isArray(json) ? json : Object.values(json)[0];
        expect({ status, found }).toEqual({ status: 200, found: [] });
      },
    );

    test.each([
      ...[
        ...["/", "/ready", "/metrics", "/openapi.json", "/asyncapi.json", "/events?topic=block"],
        ...["/account/{address}/deposits", "/accounts/{accountId}/movements.csv", "/transactions/confirmed.csv"],
        ...["/blocks.csv", "/mosaics/{mosaicId}/holders.csv"],
      ].map((path) => ["GET", path] as const),
      ["PUT", "/transaction"] as const,
      ["POST", "/transactions/simulate"] as const,
    ])("%s %s, our extension", async (method, template) => {
      const body = method === "GET" ? undefined : JSON.stringify(examples.announceTransaction?.body);
      const known = { ...examples.searchAccountHashLocks?.path, ...examples.getAccountInfo?.path };
      const path = fillPath(template, { ...known, ...examples.getMosaic?.path });
      const answer = await askRaw(urlOf(), { method, path, body });
      if (isReference && path === "/") return expect(answer.status).toBe(404);
      expect({ path, status: answer.status }).toEqual({ path, status: method === "PUT" ? 202 : 200 });
      if (path.endsWith(".csv")) expect(answer.text.split("\n").length).toBeGreaterThan(1);
      expectDescribed(answer);
    });

    test("every operation of our own description was validated", () => {
      const { paths } = own.get(mode)!.document;
      const all = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      expect(all.filter((operation) => !described.has(operation))).toEqual([]);
      expect(all.length).toBeGreaterThan(81);
    });

    test("every part has negative cases", () => {
      process.stderr.write(`contract, ${mode}: ${negativeCases} negative cases\n`);
      expect(negativeCases).toBeGreaterThan(MIN_NEGATIVE_CASES);
    });

    test("no operation is missing", () => {
      process.stderr.write(`contract, ${mode}: ${kept.size} of ${operations.length}\n`);
      expect(operations.map(({ operationId }) => operationId).filter((id) => !kept.has(id))).toEqual([]);
      expect(operations).toHaveLength(81);
    });
  });
});
