import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import {
  type GraphQLArgument,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
  specifiedScalarTypes,
} from "graphql";
import { schema } from "../../schema/schema.js";

/** The reviewed file, relative to the folder of compiled tests. */
const FILE = new URL("../../../schema/schema.graphql", import.meta.url);

test("the printed schema equals the reviewed one (UPDATE_SCHEMA=1 rewrites it)", () => {
  const printed = `${printSchema(lexicographicSortSchema(schema))}\n`;
  if (process.env.UPDATE_SCHEMA === "1") writeFileSync(FILE, printed);
  expect(printed).toBe(readFileSync(FILE, "utf8"));
});

test("timestamps and deadlines are there as times too", () => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const { timestamp, time, deadline, deadlineTime } = type.getFields();
    expect({ type: type.name, time: Boolean(time), deadline: Boolean(deadlineTime) }).toEqual({
      ...{ type: type.name, time: Boolean(timestamp ?? time), deadline: Boolean(deadline) },
    });
  }
});

test("every type, field, argument and value has a description", () => {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__") && !isSpecified(name));
  const described = types.flatMap((type): [name: string, description: string | null | undefined][] => {
    const { name, description } = type;
    if (isEnumType(type)) {
      return [
        [name, description],
        ...type.getValues().map((v) => [`${name}.${v.name}`, v.description] as [string, string]),
      ];
    }
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [[name, description]];
    const fields = Object.values(type.getFields());
    const args = fields.flatMap((field) =>
      "args" in field
        ? field.args.map(
            (a: GraphQLArgument) => [`${name}.${field.name}(${a.name})`, a.description] as [string, string],
          )
        : [],
    );
    return [
      [name, description],
      ...fields.map((f) => [`${name}.${f.name}`, f.description] as [string, string]),
      ...args,
    ];
  });
  expect(described.length).toBeGreaterThan(1_000);
  expect(described.filter(([, text]) => !text).map(([name]) => name)).toEqual([]);
});

const isSpecified = (name: string) => specifiedScalarTypes.some((scalar) => scalar.name === name);
