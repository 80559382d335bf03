import { maxAliasesRule } from "@escape.tech/graphql-armor-max-aliases";
import { maxDepthRule } from "@escape.tech/graphql-armor-max-depth";
import { maxDirectivesRule } from "@escape.tech/graphql-armor-max-directives";
import { GraphQLError, specifiedRules, type ValidationContext, type ValidationRule } from "graphql";

/** More than twice as deep as any document of the explorer. */
const DEPTH = 14;
const ALIASES = 100;
const DIRECTIVES = 50;

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

/** Limits of a document, beside that of its tokens. */
export const documentLimits = [
  maxDepthRule({ n: DEPTH, ...rejection }),
  maxAliasesRule({ n: ALIASES, ...rejection }),
  maxDirectivesRule({ n: DIRECTIVES, ...rejection }),
] as unknown as readonly ValidationRule[];

/** GraphQL's own rules, and the limits. */
export const documentRules: readonly ValidationRule[] = [...specifiedRules, ...documentLimits];
