import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeIfDescribed } from "../support/openapi.js";
import { ask, askRaw, type ContractAnswer } from "./ask.js";
import { ABSENT, type Example, examplesOf } from "./examples.js";
import { type Operation, operationsOf } from "./operations.js";
import { Scene } from "./scene.js";
import { wrongBodies } from "./wrong-bodies.js";
import { wrongValues } from "./wrong-values.js";

/** Every list is asked for with these too; `offset` is the id of its first entry. */
const PAGE = { pageSize: "10", pageNumber: "1", order: "asc", orderBy: "id" };
/** For entries that do not show their ids. */
const ANY_OFFSET = "000000000000000000000001";

describeIfDescribed("the published description of the interface", (api) => {
  const operations = operationsOf(api);
  const kept = new Set<string>();
  let negativeCases = 0;
  let scene: Scene;
  let examples: Readonly<Record<string, Example>>;

  beforeAll(async () => {
    scene = await Scene.start();
    examples = await examplesOf(scene);
  }, 60_000);

  afterAll(() => scene?.stop());

  function expectKept(operation: Operation, { asked, status, json, text, contentType }: ContractAnswer): void {
    const shown = { ...asked, status, text: status < 300 ? "" : text };
    expect(shown).toEqual({ ...shown, status: operation.method === "PUT" ? 202 : 200, text: "" });
    expect(operation.statuses).toContain(status);
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
      const plain = await ask(scene.url, operation, example);
      expectKept(operation, plain);
      const isList = Array.isArray(plain.json?.data);
      if (isList) expect(plain.json.data).not.toEqual([]);
      if (operation.method === "POST") expect(plain.json).not.toEqual([]);
      for (const { name } of operation.parameters.filter((parameter) => parameter.in === "query")) {
        const offset = plain.json?.data?.[0]?.id ?? ANY_OFFSET;
        const given = { ...PAGE, offset, ...example.query } as Record<string, string>;
        const names = [name, ...(example.beside?.[name] ?? [])];
        const query = Object.fromEntries(names.map((one) => [one, given[one]]));
        expect({ operationId, query }).not.toEqual({
          operationId,
          query: expect.objectContaining({ [name]: undefined }),
        });
        const answer = await ask(scene.url, operation, example, query as Record<string, string>);
        expectKept(operation, answer);
        const mayBeEmpty = !isList || name === "offset" || example.findsNothing?.includes(name);
        if (!mayBeEmpty) expect({ ...answer.asked, data: answer.json.data }).not.toMatchObject({ data: [] });
      }
      kept.add(operationId);
    },
  );

  /** Refused with the body that errors have, which names what is wrong. */
  function expectRefused(answer: ContractAnswer, status: number, name: string, why: string): void {
    const { asked, json } = answer;
    const code = { 400: "InvalidContent", 404: "ResourceNotFound", 409: "InvalidArgument" }[status];
    const shown = { why, ...asked, status: answer.status, code: json?.code };
    expect(shown).toEqual({ ...shown, status, code });
    expect(api.validate("ModelError", json)).toEqual([]);
    expect(json.message).toContain(name);
  }

  const withParameters = operations.filter(({ parameters }) => parameters.length > 0);
  test.each(withParameters.map((operation) => [operation.operationId, operation] as const))(
    "wrong parameters of %s",
    async (operationId, operation) => {
      const example = examples[operationId] ?? {};
      for (const parameter of operation.parameters) {
        const { name } = parameter;
        const wrong = wrongValues(parameter);
        expect({ name, wrong: wrong.length }).not.toEqual({ name, wrong: 0 });
        for (const { texts, status, why } of wrong) {
          const [text = ""] = texts;
          const answer =
            parameter.in === "path"
              ? await ask(scene.url, operation, { ...example, path: { ...example.path, [name]: text } })
              : await ask(scene.url, operation, example, { [name]: texts });
          expectRefused(answer, status, name, why);
          negativeCases += 1;
        }
      }
    },
  );

  const missable = operations.filter(({ statuses, path }) => statuses.includes(404) && path.includes("{"));
  test.each(missable.map((operation) => [operation.operationId, operation] as const))(
    "%s of what there is not",
    async (operationId, operation) => {
      const [{ name } = { name: "" }] = operation.parameters;
      const absent = ABSENT[name] ?? "";
      const path = { ...examples[operationId]?.path, [name]: absent };
      expectRefused(await ask(scene.url, operation, { path }), 404, absent, "not there");
      negativeCases += 1;
    },
  );

  const withBody = operations.filter(({ body }) => body !== undefined);
  test.each(withBody.map((operation) => [operation.operationId, operation] as const))(
    "wrong bodies of %s",
    async (operationId, operation) => {
      for (const { body, status, name, why } of wrongBodies(examples[operationId]?.body)) {
        const asked = { method: operation.method, path: operation.path, body };
        expectRefused(await askRaw(scene.url, asked), status, name, why);
        negativeCases += 1;
      }
    },
  );

  /** The description wants at least one entry of one of its lists. */
  const wantsEntries = new Set(["getAccountsInfo"]);
  const withList = withBody.filter(({ method, operationId }) => method === "POST" && !wantsEntries.has(operationId));
  test.each(withList.map((operation) => [operation.operationId, operation] as const))(
    "%s of an empty list",
    async (operationId, operation) => {
      const [name = ""] = Object.keys(examples[operationId]?.body as object);
      const { status, json } = await ask(scene.url, operation, {}, {}, { [name]: [] });
      const found = Array.isArray(json) ? json : Object.values(json)[0];
      expect({ status, found }).toEqual({ status: 200, found: [] });
    },
  );

  test("negative cases were made for all of it", () => {
    process.stderr.write(`contract: ${negativeCases} negative cases\n`);
    expect(negativeCases).toBeGreaterThan(1000);
  });

  test("no operation is left out", () => {
    process.stderr.write(`contract: ${kept.size} of ${operations.length}\n`);
    expect(operations.map(({ operationId }) => operationId).filter((id) => !kept.has(id))).toEqual([]);
    expect(operations).toHaveLength(81);
  });
});
