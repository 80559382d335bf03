import { getNullableType, isListType } from "graphql";
import { MAX_TYPES } from "../../../schema/graph/arguments.js";
import { schema } from "../../../schema/schema.js";
import type { Argument } from "./argument.js";
import type { ArgumentType } from "./argument-types.js";

type Types = Readonly<Record<string, ArgumentType<unknown>>>;
type FieldArguments<Of extends Types> = {
  readonly [Name in keyof Of]: Argument<(Of[Name] extends ArgumentType<infer Value> ? Value : never) | undefined>;
};

/**
 * Query parameters that are the arguments of a GraphQL field: it says what they mean, and which of them are lists.
 * @param field of the query
 * @throws Error naming an argument that the field does not have
 */
export function fieldArguments<Of extends Types>(field: string, types: Of): FieldArguments<Of> {
  const known = schema.getQueryType()!.getFields()[field]!.args;
  const entries = Object.entries(types).map(([name, type]): [string, Argument<unknown>] => {
    const argument = known.find((one) => one.name === name);
    if (!argument) throw new Error(`${field} has no argument ${name}`);
    const list = isListType(getNullableType(argument.type));
    const description = argument.description!;
    return [
      name,
      { location: "query", required: false, list, type, description, ...(list && { maxItems: MAX_TYPES }) },
    ];
  });
  return Object.fromEntries(entries) as FieldArguments<Of>;
}

/** The same, on a path of catapult-rest, which does not have them. */
export function addedFieldArguments<Of extends Types>(field: string, types: Of): FieldArguments<Of> {
  const added = Object.entries(fieldArguments(field, types)).map(([name, one]) => [name, { ...one, isAdded: true }]);
  return Object.fromEntries(added) as FieldArguments<Of>;
}
