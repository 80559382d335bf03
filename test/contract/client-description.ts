import { channels, messages } from "../../catapult/structs/message.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { describeRoutes } from "../../gateway/rest/openapi.js";
import { responseSchemas } from "../../gateway/rest/response-schemas.js";
import { routes } from "../../gateway/rest/routes/table.js";

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly responses: Json;
}

/** What the types of the client are generated from: all operations without errors, and the data of all messages. */
export function clientDescription(): Json {
  const document = describeRoutes(routes, "client", selectBehaviour("spec")) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Json };
  };
  const paths = mapValues(document.paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(operation.responses).filter(([status]) => /^2/.test(status))),
    })),
  );
  const { byKey, components } = responseSchemas(messages);
  const schemas = { ...document.components.schemas, ...components };
  const described = mapValues(channels, ({ addressed, description }, name) => ({
    data: byKey[name],
    addressed,
    description,
  }));
  return withoutExamples({ ...document, paths, components: { schemas }, channels: described });
}

/** Examples are as long as all the rest, and types do not need them. */
function withoutExamples<Value>(document: Value): Value {
  return JSON.parse(JSON.stringify(document, (key, value) => (key === "example" ? undefined : value)));
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
