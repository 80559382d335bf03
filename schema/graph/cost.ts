/**
 * The cost of a field in an operation, declared as its `extensions`. Before an operation runs,
 * `gateway/graphql/cost.ts` adds up its maximum cost.
 */
export interface FieldCost {
  /** Cost of each appearance in the response; by default 1, or more for a list that is read from the database. */
  readonly each?: number;
  /**
   * How often the content of a list appears in the response: `requested` by the arguments of the field around it, or
   * a number.
   */
  readonly entries?: number | "requested";
}

/** How an argument sets the number of requested entries. */
export interface RequestedEntries {
  /** Reads the number from a value as it was sent, of any type; undefined or null if it has none. */
  readonly read: (value: unknown) => unknown;
  /** If no argument of the field sets it. */
  readonly byDefault: number;
}

/** Extensions of a field. */
export const costs = (cost: FieldCost) => ({ cost });

/** Extensions of a field that queries the node, or reads much of the index: ten of them fit into one operation. */
export const heavy = costs({ each: 4_800 });

/** Extensions of a list whose length is set by the arguments of the field around it. */
export const requestedEntries = costs({ entries: "requested" });

/** Extensions of an argument that sets the number of requested entries. */
export const requestsEntries = (requests: RequestedEntries) => ({ requests });

/** The declaration of a field. */
export function costOf({ extensions }: { readonly extensions: object }): FieldCost {
  return (extensions as { cost?: FieldCost }).cost ?? {};
}

/** The declaration of an argument. */
export function requestOf({ extensions }: { readonly extensions: object }): RequestedEntries | undefined {
  return (extensions as { requests?: RequestedEntries }).requests;
}
