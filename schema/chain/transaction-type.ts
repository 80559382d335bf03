import { TRANSACTION_TYPE, type TransactionKind } from "../../catapult/structs/type-names.js";
import { checkTypes } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";

/** No transaction has it. */
const UNKNOWN = 0;
const KNOWN = new Set<number>(Object.values(TRANSACTION_TYPE));

const values = Object.fromEntries(
  Object.entries(TRANSACTION_TYPE).map(([name, value]) => [name, { value, description: `Type ${value}.` }]),
) as Record<TransactionKind, { readonly value: number; readonly description: string }>;

const TransactionType = builder.enumType("TransactionType", {
  description: "Names of transaction types, as in SQL and in CSV files; fields `type` have their numbers.",
  values: { ...values, unknown: { value: UNKNOWN, description: "A type that this program does not know." } },
});

/** The field with the name of a type. */
export const typeNameField = <Source>(typeOf: (source: Source) => number) =>
  ({
    type: TransactionType,
    description: "Name of the transaction type, such as transfer.",
    resolve: (source: Source) => {
      const type = typeOf(source);
      return KNOWN.has(type) ? type : UNKNOWN;
    },
  }) as const;

/** Arguments that limit a list to types. */
export const typeArguments = builder.args((t) => ({
  type: t.intList({ description: "Transaction types to include, by their numbers." }),
  typeName: t.field({ type: [TransactionType], description: "Transaction types to include, by their names." }),
}));

interface TypeArguments {
  readonly type?: readonly number[] | null | undefined;
  readonly typeName?: readonly number[] | null | undefined;
}

/**
 * Arguments with all of their types as one list.
 * @throws ApiError InvalidArgument for too many types, or an invalid one
 */
export function withTypes<Arguments extends TypeArguments>({ type, typeName, ...others }: Arguments) {
  const types = [...(type ?? []), ...(typeName ?? [])];
  checkTypes("type", types);
  return { ...others, types: types.length === 0 ? undefined : types };
}
