import { messages } from "../../catapult/structs/message.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { describeRoutes } from "../../gateway/rest/openapi.js";
import { responseSchemas } from "../../gateway/rest/response-schemas.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { type Document, OpenApi } from "./openapi.js";

/** A description in which objects have only the mentioned fields, for finding undescribed ones. */
export function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const isObject = copy.type === "object" && copy.properties && copy.additionalProperties === undefined;
  return (isObject ? { ...copy, additionalProperties: false } : copy) as Value;
}

let own: OpenApi | undefined;

/** Our own description of every route, closed. */
export function ownOpenApi(): OpenApi {
  own ??= new OpenApi(closed(describeRoutes(routes, "test", selectBehaviour("spec"))) as unknown as Document);
  return own;
}

/** Our own description of the `data` of messages: schemas by the names of channels, closed. */
export function ownMessages(): OpenApi {
  const { byKey, components } = responseSchemas(messages);
  return new OpenApi(
    closed({ paths: {}, components: { schemas: { ...components, ...byKey } } }) as unknown as Document,
  );
}
