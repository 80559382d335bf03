import { expect, test } from "@jest/globals";
import { parse, validate } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { documents } from "../../explorer/documents/documents.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { routesIn } from "../../gateway/rest/routes/table.js";
import { endpoints } from "../../mesh/endpoints.js";
import { NETWORK_OPERATION } from "../../mesh/standard/network.js";
import { schema } from "../../schema/schema.js";

/** The documents by which REST, Mesh and the pages read: they are compiled when they first run. */
const own = [
  ...(["spec", "catapult-rest"] as const).flatMap((mode) =>
    routesIn(selectBehaviour(mode)).flatMap(({ work }) => {
      if ("operation" in work) return [work.operation];
      return "operations" in work ? Object.values(work.operations) : [];
    }),
  ),
  ...endpoints.flatMap(({ operations }) => Object.values(operations)),
  NETWORK_OPERATION,
  ...Object.values({ ...documents.ofIndex, ...documents.ofNow }),
];

test("every document of the product matches the schema, and can be compiled", () => {
  for (const text of new Set(own)) {
    const document = parse(text);
    const problems = validate(schema, document).map(({ message }) => message);
    expect({ text, problems }).toEqual({ text, problems: [] });
    expect({ text, isCompiled: isCompiledQuery(compileQuery(schema, document)) }).toEqual({ text, isCompiled: true });
  }
  expect(new Set(own).size).toBeGreaterThan(100);
});
