/**
 * What a field costs an operation that selects it, declared beside the field as its `extensions`. Before an operation
 * runs, `gateway/graphql/cost.ts` adds up what it may cost.
 */
export interface FieldCost {
  /** Each time that it may stand in the answer; without this 1, or more for a list that is read from the database. */
  readonly each?: number;
  /** How often what is inside a list stands in the answer: `requested` by the arguments of the field around it, or a number. */
  readonly entries?: number | "requested";
}

/** How an argument says how many entries are requested. */
export interface RequestedEntries {
  /** Reads the number from a value as it was sent, of any type; undefined or null where the value does not say it. */
  readonly read: (value: unknown) => unknown;
  /** Where no argument of the field says it. */
  readonly byDefault: number;
}

/** Extensions of a field. */
export const costs = (cost: FieldCost) => ({ cost });

/** Extensions of a field that asks the node, or reads much of the index: ten of them fit into one operation. */
export const heavy = costs({ each: 4_800 });

/** Extensions of a list whose length the arguments of the field around it say. */
export const requestedEntries = costs({ entries: "requested" });

/** Extensions of an argument that says how many entries are requested. */
export const requestsEntries = (requests: RequestedEntries) => ({ requests });

/** What is declared beside a field. */
export function costOf({ extensions }: { readonly extensions: object }): FieldCost {
  return (extensions as { cost?: FieldCost }).cost ?? {};
}

/** What is declared beside an argument. */
export function requestOf({ extensions }: { readonly extensions: object }): RequestedEntries | undefined {
  return (extensions as { requests?: RequestedEntries }).requests;
}
