import type { Behaviour } from "../compatibility/compatibility.js";
import type { MessageExampleReader } from "../messages/message-examples.js";
import { describeMessages } from "./asyncapi.js";
import { describeRoutes } from "./openapi.js";
import type { ExampleReader } from "./rest-examples.js";
import type { JsonSchema } from "./route/argument-types.js";
import type { Route } from "./route/route.js";

/** How long a description is kept, in ms: creating it takes 0.1 s, and examples need the database. */
const KEPT_MS = 60_000;

/** The machine-readable descriptions of a server, with examples from its chain. */
export interface Descriptions {
  /** OpenAPI 3.0 as JSON text. */
  openApi(): Promise<string>;
  /** AsyncAPI 3.0. */
  asyncApi(): Promise<JsonSchema>;
}

export interface DescriptionsOptions {
  readonly routes: readonly Route[];
  readonly version: string;
  readonly behaviour: Behaviour;
  readonly restExamples: ExampleReader;
  readonly messageExamples: MessageExampleReader;
}

export function describeServer(options: DescriptionsOptions): Descriptions {
  const { routes, version, behaviour, restExamples, messageExamples } = options;
  return {
    openApi: kept(async () => JSON.stringify(describeRoutes(routes, version, behaviour, await restExamples.read()))),
    asyncApi: kept(async () => describeMessages(version, await messageExamples.read())),
  };
}

/** A function whose value is computed anew after a while. */
function kept<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly value: Promise<Value>; readonly until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now > last.until) last = { value: compute(), until: now + KEPT_MS };
    return last.value;
  };
}
