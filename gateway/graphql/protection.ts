import { maxAliasesRule } from "@escape.tech/graphql-armor-max-aliases";
import { maxDepthRule } from "@escape.tech/graphql-armor-max-depth";
import { maxDirectivesRule } from "@escape.tech/graphql-armor-max-directives";
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  parse,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import { type Services, tooMuch, withShare } from "../../schema/graph/context.js";
import { JsonText } from "../../schema/graph/scalars.js";
import { asGraphqlError } from "./mask-error.js";

// What a document may have. What an operation may read is in schema/graph/context.ts; how large a page may be is
// a matter of its list, and how long a statement may take one of the database.

const TOKENS = 1_000;
/** Half more than any document of the explorer. */
const DEPTH = 10;
const ALIASES = 100;
const DIRECTIVES = 50;
const INTROSPECTIONS = 5;
/** Characters of a result: aliases repeat large bodies, and a text is copied when it is sent. */
const RESULT_LENGTH = 16_777_216;
/** Connections to the database that all operations use together, so that REST always finds others. */
const CONNECTIONS = 2;

/** The library's own way is to throw, without a code. */
const rejection = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, { message }: GraphQLError) =>
      context?.reportError(
        new GraphQLError(message.replace("Syntax Error: ", ""), { extensions: { code: "InvalidArgument" } }),
      ),
  ],
};

/** Introspection reads the whole schema, and tools request it once and without aliases: with many, it takes half a second. */
const introspectionOnce: ValidationRule = (context) => {
  let count = 0;
  return {
    Field: (node) => {
      const isRoot = node.name.value === "__schema" || node.name.value === "__type";
      if (isRoot) count += 1;
      const isTooMany = isRoot && count > INTROSPECTIONS;
      const isAliasInside = node.alias !== undefined && context.getParentType()?.name.startsWith("__");
      if (!isTooMany && !isAliasInside) return;
      const message = `a document may have ${INTROSPECTIONS} fields __schema and __type, and no aliases inside`;
      context.reportError(new GraphQLError(message, { nodes: node, extensions: { code: "InvalidArgument" } }));
    },
  };
};

/** Of every object: GraphQL's executor keeps the values of variables in objects that have a prototype. */
export const PROTOTYPE = "__proto__";

const noPrototype: ValidationRule = (context) => ({
  VariableDefinition: ({ variable }) => {
    if (variable.name.value !== PROTOTYPE) return;
    const message = `a variable cannot have the name $${PROTOTYPE}`;
    context.reportError(new GraphQLError(message, { nodes: variable, extensions: { code: "InvalidArgument" } }));
  },
});

/** Limits of a document, beside that of its tokens. */
export const documentLimits = [
  noPrototype,
  introspectionOnce,
  maxDepthRule({ n: DEPTH, ...rejection }),
  maxAliasesRule({ n: ALIASES, ...rejection }),
  maxDirectivesRule({ n: DIRECTIVES, ...rejection }),
] as unknown as readonly ValidationRule[];

/** GraphQL's own rules, and the limits. */
export const documentRules: readonly ValidationRule[] = [...specifiedRules, ...documentLimits];

/** @throws GraphQLError for an invalid document, or one with too many tokens */
export function parseDocument(text: string): DocumentNode {
  return parse(text, { maxTokens: TOKENS });
}

/** The services of all operations of users: they share a few connections to the database. */
export function graphqlServices(services: Services): Services {
  return withShare(services, CONNECTIONS);
}

/** The same result, or an error in place of one whose text would take too much memory. */
export function limitResult(result: ExecutionResult): ExecutionResult {
  let left = RESULT_LENGTH;
  const count = (value: unknown): void => {
    if (left < 0) return;
    if (typeof value === "string") left -= value.length;
    else if (value instanceof JsonText) left -= value.text.length;
    else if (typeof value === "object") for (const name in value) count(value[name as keyof object]);
    left -= 1;
  };
  count(result.data);
  return left < 0 ? { errors: [asGraphqlError(tooMuch(`${RESULT_LENGTH} characters for its result`))] } : result;
}
