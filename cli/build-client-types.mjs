// Writes `client/openapi.ts`, the types of the client's requests and answers, from the description of the routes. That is
// bundled and run before anything is compiled, since the compiler needs the types of the client too.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));
const inRoot = (...names) => path.join(root, ...names);

async function readDescription() {
  // In the folder of the packages, which the bundle imports.
  const outfile = inRoot("node_modules", `.client-description-${process.pid}.mjs`);
  try {
    const entryPoints = [inRoot("test/contract/client-description.ts")];
    const options = { bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" };
    await build({ entryPoints, outfile, ...options });
    const { clientDescription } = await import(pathToFileURL(outfile).href);
    return clientDescription();
  } finally {
    rmSync(outfile, { force: true });
  }
}

const BASIC = { string: "string", integer: "number", number: "number", boolean: "boolean" };

const comment = (text) => (text ? `/** ${text.replaceAll("*/", "*\\/")} */ ` : "");

/** The type of values of a schema. */
function typeOf(schema) {
  const parts = [
    ...(schema.$ref ? [`components["schemas"]["${schema.$ref.split("/").at(-1)}"]`] : []),
    ...(schema.allOf ?? []).map(typeOf),
    ...(schema.anyOf || schema.oneOf ? [`(${(schema.anyOf ?? schema.oneOf).map(typeOf).join(" | ")})`] : []),
    ...(schema.enum ? [`(${schema.enum.map((value) => JSON.stringify(value)).join(" | ")})`] : []),
    ...(schema.type && !schema.enum ? [typeOfKind(schema)] : []),
  ];
  const type = parts.length > 0 ? parts.join(" & ") : "unknown";
  return schema.nullable ? `(${type} | null)` : type;
}

function typeOfKind({ type, items = {}, properties, required = [], additionalProperties }) {
  if (type === "array") return `(${typeOf(items)})[]`;
  if (type !== "object") return BASIC[type] ?? "unknown";
  if (properties) return objectOf(properties, (name) => required.includes(name));
  return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"}>`;
}

function objectOf(properties, isRequired) {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${JSON.stringify(name)}${isRequired(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  return `{ ${members.join("\n")} }`;
}

const contentOf = (content = {}) =>
  `{ ${Object.entries(content).map(([kind, { schema = {} }]) => `"${kind}": ${typeOf(schema)};`)} }`;

/** Parameters by their location. */
function parametersOf(parameters = []) {
  const types = ["path", "query"].map((location) => {
    const here = parameters.filter((one) => one.in === location);
    if (here.length === 0) return `"${location}"?: never;`;
    const isRequired = (name) => here.some((one) => one.name === name && one.required);
    const properties = Object.fromEntries(
      here.map(({ name, schema, description }) => [name, { ...schema, description }]),
    );
    const isOptional = !here.some(({ required }) => required);
    return `"${location}"${isOptional ? "?" : ""}: ${objectOf(properties, isRequired)};`;
  });
  return `{ ${types.join("\n")} }`;
}

function operationOf({ parameters, requestBody, responses }) {
  const answers = Object.entries(responses).map(
    ([status, { content }]) => `${status}: { content: ${contentOf(content)} };`,
  );
  const body = requestBody ? `requestBody: { content: ${contentOf(requestBody.content)} };` : "";
  return `{ parameters: ${parametersOf(parameters)}; ${body} responses: { ${answers.join("\n")} } }`;
}

/**
 * The schemas by their names. The type of what this program does not know is one that equals no known type, so that after a
 * comparison such as `type === 16724` the compiler knows all members. A plain number would be equal to each of them.
 */
function schemasOf(schemas) {
  const types = Object.entries(schemas).map(([name, schema]) => {
    const type = typeOf(schema);
    const own = /Unknown\w*DTO$/.test(name) ? type.replace('"type": number;', '"type": UnknownType;') : type;
    return `${comment(schema.description)}${JSON.stringify(name)}: ${own};`;
  });
  return `{ ${types.join("\n")} }`;
}

const { paths, components, channels } = await readDescription();
const all = Object.entries(paths).flatMap(([name, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name, method, operation })),
);
const text = [
  "// Written by cli/build-client-types.mjs.",
  "/** In place of every number that is no known type; it exists for the compiler alone. */",
  "export declare enum UnknownType { any = -1 }",
  `export interface components { "schemas": ${schemasOf(components.schemas)} }`,
  `export interface operations { ${all.map(({ operation }) => `"${operation.operationId}": ${operationOf(operation)};`).join("\n")} }`,
  "export interface paths {",
  ...Object.entries(paths).map(([name, methods]) => {
    const members = Object.entries(methods).map(
      ([method, { summary, operationId }]) => `${comment(summary)}"${method}": operations["${operationId}"];`,
    );
    return `"${name}": { ${members.join("\n")} };`;
  }),
  "}",
  "export interface channels {",
  ...Object.entries(channels).map(
    ([name, { data, addressed, description }]) =>
      `${comment(description)}"${name}": { data: ${typeOf(data)}; addressed: ${addressed}; };`,
  ),
  "}\n",
].join("\n");
const file = inRoot("client/openapi.ts");
// Unchanged, it is not compiled again.
if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
