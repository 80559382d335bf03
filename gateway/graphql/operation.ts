import { type GraphQLSchema, parse, validate } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { Context, Services } from "../../schema/graph/context.js";

/** Runs one GraphQL document in a context of its own; throws the first error of its result. */
export type Operation = (services: Services, variables: Record<string, unknown>) => Promise<Record<string, unknown>>;

type Compiled = ReturnType<typeof compile>;

/** Operations that were run, by their texts, which are all our own: each is compiled once in a process. */
const compiled = new WeakMap<GraphQLSchema, Map<string, Compiled>>();

/**
 * The operation of one of our own documents. It is parsed, validated and compiled when it first runs, which takes some
 * ms: all of them together would take a third of a start. From then on it costs as little as hand-written code.
 */
export function operationOf(schema: GraphQLSchema, text: string): Operation {
  const ofSchema = compiled.get(schema) ?? new Map<string, Compiled>();
  compiled.set(schema, ofSchema);
  return async (services, variables) => {
    const operation = ofSchema.get(text) ?? compile(schema, text);
    ofSchema.set(text, operation);
    const context: Context = { ...services };
    const { data, errors } = await operation.query(undefined, context, variables);
    if (errors?.[0]) throw errors[0];
    return data as Record<string, unknown>;
  };
}

/** One of several documents of our own, by its name. @throws Error when there is none of this name */
export function namedOperation(
  schema: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
  name: string,
): Operation {
  const text = texts[name];
  if (text === undefined) throw new Error(`no operation ${name}`);
  return operationOf(schema, text);
}

/** @throws Error when the document does not match the schema */
function compile(schema: GraphQLSchema, text: string) {
  const document = parse(text);
  const [invalid] = validate(schema, document);
  if (invalid) throw invalid;
  const operation = compileQuery<Record<string, unknown>>(schema, document);
  if (!isCompiledQuery(operation)) throw operation.errors?.[0] ?? new Error(`cannot compile: ${text}`);
  return operation;
}
