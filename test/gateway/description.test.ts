import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { channels } from "../../catapult/structs/message.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { describeRoutes, examples } from "../../gateway/rest/openapi.js";
import { operationDescriptions } from "../../gateway/rest/operation-descriptions.js";
import { routes, routesIn } from "../../gateway/rest/routes/table.js";
import { errorCodes } from "../../schema/errors/errors.js";
import type { OpenApi } from "../support/openapi.js";
import { closed, ownOpenApi } from "../support/own-openapi.js";

const docs = readFileSync(new URL("../../../docs/rest.md", import.meta.url), "utf8");

const WEB_SOCKET_PAGE = new URL("../../../docs/websocket.md", import.meta.url);
const webSocketDocs = readFileSync(WEB_SOCKET_PAGE, "utf8");

/** Cells of the tables under a heading of the documentation. */
function rowsBelow(heading: string): string[][] {
  const section = docs.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|---"));
  return lines
    .slice(1)
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").replaceAll("`", "")));
}

test("the documentation lists every error code, and no other", () => {
  const expected = Object.entries(errorCodes).map(([code, { status, description }]) => [
    String(status),
    code,
    description,
  ]);
  expect(rowsBelow("Errors")).toEqual(expected);
});

test("docs/websocket.md has the table of channels (UPDATE_DOCS=1 rewrites it)", () => {
  const rows = Object.entries(channels).map(([name, { addressed, description }]) => {
    return `| \`${addressed ? `${name}[/<address>]` : name}\` | ${description} |\n`;
  });
  const head = "| topic | message |\n|---|---|\n";
  const start = webSocketDocs.indexOf(head) + head.length;
  const written =
    webSocketDocs.slice(0, start) + rows.join("") + webSocketDocs.slice(webSocketDocs.indexOf("| `heartbeat` ", start));
  if (process.env.UPDATE_DOCS === "1") writeFileSync(WEB_SOCKET_PAGE, written);
  else expect(webSocketDocs).toBe(written);
  expect(webSocketDocs.slice(0, start)).toContain("\n## Topics\n");
});

interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

type Schema = Readonly<Record<string, unknown>>;

/** Places in a schema that leave an object or a value undescribed. */
function undescribed(schema: Schema, place: string): string[] {
  const isObject = schema.type === "object" && !schema.properties && !schema.additionalProperties;
  const inside = Object.entries(schema).flatMap(([key, value]) => {
    if (key === "example") return [];
    const at = `${place}/${key}`;
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (isEmpty && key !== "additionalProperties") return [at];
    return typeof value === "object" && value !== null ? undescribed(value as Schema, at) : [];
  });
  return isObject ? [place, ...inside] : inside;
}

interface Described {
  readonly summary?: string;
  readonly description?: string;
}

/** The members of all schemas in a part of a description, with their places. */
function membersIn(part: unknown, place: string): [place: string, member: Described][] {
  if (typeof part !== "object" || part === null) return [];
  const members = (part as { properties?: Readonly<Record<string, Described>> }).properties ?? {};
  const here = Object.entries(members).map(([name, member]) => [`${place}.${name}`, member] as [string, Described]);
  return [
    ...here,
    ...Object.entries(part).flatMap(([key, inside]) => (key === "example" ? [] : membersIn(inside, `${place}/${key}`))),
  ];
}

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

const described = describeRoutes(routes, "1.2.3", selectBehaviour("spec")) as unknown as { readonly paths: Paths };

describe.each(["spec", "catapult-rest"] as const)("/openapi.json with COMPATIBILITY=%s", (mode) => {
  const behaviour = selectBehaviour(mode);
  const document = describeRoutes(routesIn(behaviour), "1.2.3", behaviour);

  test("is valid OpenAPI 3.0", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe("3.0");
  });

  test("every operation lists the errors it may return", () => {
    const operations = Object.values((document as unknown as { readonly paths: Paths }).paths).flatMap(Object.values);
    expect(operations.length).toBeGreaterThan(80);
    for (const { operationId, parameters, requestBody, responses } of operations as DescribedOperation[]) {
      const statuses = Object.keys(responses);
      const expected = [
        ...["429", "431", "500"],
        ...(parameters || requestBody ? ["400", "409"] : []),
        ...(requestBody ? ["408", "413", "415"] : []),
      ];
      expect({ operationId, missing: expected.filter((one) => !statuses.includes(one)) }).toEqual({
        operationId,
        missing: [],
      });
    }
  });

  test("every body is described, including nested fields", () => {
    const { components } = document as { components: { schemas: Record<string, Schema> } };
    const open = Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name));
    // Settings of the node chosen by its operator, and the formats of OpenAPI and AsyncAPI.
    expect(open.filter((place) => !/^(NodeMetadataDTO|OpenApiDocument|AsyncApiDocument)/.test(place))).toEqual([]);
    const { paths } = document as unknown as { readonly paths: Paths };
    for (const operation of Object.values(paths).flatMap(Object.values) as DescribedOperation[]) {
      expect(undescribed(operation.responses as Schema, operation.operationId)).toEqual([]);
    }
    expect(Object.keys(components.schemas).length).toBeGreaterThan(200);
  });

  test("every operation, parameter and member has a description", () => {
    const { components, paths } = document as unknown as { components: { schemas: object }; paths: Paths };
    const operations = Object.values(paths).flatMap(Object.values) as (DescribedOperation & Described)[];
    const nameless = operations.flatMap(({ operationId, summary, description, parameters = [] }) => [
      ...(summary && description && summary !== description ? [] : [operationId]),
      ...parameters.filter((one) => !one.description).map(({ name }) => `${operationId}.${name}`),
    ]);
    expect(nameless).toEqual([]);
    const ids = routes.map(({ operationId }) => operationId);
    expect(Object.keys(operationDescriptions).filter((id) => !ids.includes(id))).toEqual([]);
    const members = [...membersIn(components.schemas, ""), ...membersIn(paths, "")];
    expect(members.length).toBeGreaterThan(1_000);
    expect(members.filter(([, member]) => !member.description).map(([place]) => place)).toEqual([]);
  });

  test("every operation has an example of its schema, whose request has what the operation requires", () => {
    const api = ownOpenApi();
    const { components, paths } = document as unknown as OpenApi["document"];
    for (const [name, schema] of Object.entries(closed(components.schemas)))
      expect({ name, schema }).toEqual({ name, schema: api.document.components.schemas[name] });
    for (const route of routesIn(behaviour)) {
      const { operationId, path, method, success = 200, arguments: args } = route;
      const { parameters = {}, body, answer } = examples[operationId]!;
      expect({ operationId, problems: api.validateResponse(method, path, success, answer) }).toEqual({
        operationId,
        problems: [],
      });
      // Both modes answer in the same form.
      const answerIn = (all: typeof paths) => all[path]![method.toLowerCase()]!.responses[success];
      expect({ operationId, answer: closed(answerIn(paths)) }).toEqual({
        operationId,
        answer: answerIn(api.document.paths),
      });
      const given: Readonly<Record<string, unknown>> = { ...parameters, ...(body as object) };
      const missing = Object.keys(args).filter((name) => args[name]?.required && !(name in given));
      expect({ operationId, missing }).toEqual({ operationId, missing: [] });
      for (const [name, value] of Object.entries(given)) {
        const { type, list } = args[name]!;
        const values = list ? (value as unknown[]) : [value];
        for (const one of values) type.parse(name, String(one));
      }
    }
  });

  test("a field missing from the description is found in an answer", () => {
    const names = { accountNames: [{ address: "0".repeat(48), names: [] }] };
    expect(ownOpenApi().validate("AccountsNamesDTO", names)).toEqual([]);
    const [entry] = names.accountNames;
    const more = { accountNames: [{ ...entry, more: 1 }] };
    expect(ownOpenApi().validate("AccountsNamesDTO", more)).toEqual([expect.stringContaining('"more"')]);
  });

  test("shows the defaults of the mode", () => {
    const { parameters = [] } = (document as unknown as { readonly paths: Paths }).paths["/blocks"]?.get ?? {};
    const defaults = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema?.default]));
    expect(defaults).toMatchObject({ order: behaviour.defaultOrder, pageSize: behaviour.defaultPageSize });
  });
});

describe("/openapi.json", () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_name, route) => {
    const operation = described.paths[route.path]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(route.operationId);
    const inPath = (operation?.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(route.path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required === true)).toBe(true);
    expect(operation?.responses[route.success ?? 200]).toBeDefined();
  });

  test("operation ids are unique", () => {
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });
});
