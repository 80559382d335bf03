import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";
import { costOf, requestOf } from "../../schema/graph/cost.js";

/** Cost of a database list, unless its field declares another: each is a database statement. */
const LIST_COST = 30;
/** Entries of a list whose field does not declare them. */
const PLAIN_LIST_SIZE = 5;
/** Entries of a list whose size is unknown: the maximum of any list. */
const UNREADABLE_SIZE = 1_000;

/** A requested operation. */
export interface RequestedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Required if the document has several. */
  readonly operationName?: string | null | undefined;
  /** As they were sent. */
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Rejects an operation with a potentially large response: every field costs 1 for each time it may appear in the
 * response, computed from the sizes of the lists around it, in the document or in variables.
 */
export function checkCost(requested: RequestedOperation, limit: number): GraphQLError | undefined {
  const { schema, document } = requested;
  const operation = getOperationAST(document, requested.operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return undefined;
  const cost = new CostCounter(requested, operation).of(operation.selectionSet, root, 1);
  if (cost <= limit) return undefined;
  const message = `The operation may cost ${cost}, the limit is ${limit}: request shorter lists, or fewer nested ones`;
  return new GraphQLError(message, { nodes: operation, extensions: { code: "InvalidArgument" } });
}

class CostCounter {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #schema: GraphQLSchema;
  readonly #known = new Map<string, number>();
  /** With the operation's own defaults. */
  readonly #variables: Readonly<Record<string, unknown>>;

  constructor({ schema, document, variables }: RequestedOperation, operation: OperationDefinitionNode) {
    this.#schema = schema;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
    const defaults = (operation.variableDefinitions ?? []).map(
      ({ variable, defaultValue }) => [variable.name.value, defaultValue && this.#valueOf(defaultValue)] as const,
    );
    this.#variables = { ...Object.fromEntries(defaults), ...variables };
  }

  /** @param listSize entries of the list whose page `type` is */
  of({ selections }: SelectionSetNode, type: GraphQLNamedType, listSize: number): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += this.#ofField(selection, type, listSize);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += this.#ofFragment(selection.name.value, listSize);
      else {
        const condition = selection.typeCondition && this.#schema.getType(selection.typeCondition.name.value);
        cost += this.of(selection.selectionSet, condition ?? type, listSize);
      }
    }
    return cost;
  }

  #ofField(node: FieldNode, type: GraphQLNamedType, listSize: number): number {
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    // Unknown ones are rejected elsewhere; those of the schema itself do not count.
    if (!field) return 0;
    const requested = this.#requestedEntries(node, field);
    const inside = node.selectionSet
      ? this.of(node.selectionSet, getNamedType(field.type), requested ?? PLAIN_LIST_SIZE)
      : 0;
    const each = costOf(field).each ?? (requested === undefined ? 1 : LIST_COST);
    return each + this.#timesOf(node, field, listSize) * inside;
  }

  /** Computed once, however often it is spread; a fragment inside itself is rejected elsewhere. */
  #ofFragment(name: string, listSize: number): number {
    const key = `${name} ${listSize}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, 0);
    const fragment = this.#fragments.get(name);
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value);
    const cost = fragment && type ? this.of(fragment.selectionSet, type, listSize) : 0;
    this.#known.set(key, cost);
    return cost;
  }

  /** How often the content of a field appears in the response: a look-up has at least as many entries as given keys. */
  #timesOf(node: FieldNode, field: GraphQLField<unknown, unknown>, listSize: number): number {
    if (!isListType(getNullableType(field.type))) return 1;
    const { entries } = costOf(field);
    if (entries === "requested") return listSize;
    const lists = field.args.filter(({ type }) => isListType(getNullableType(type))).map((argument) => argument.name);
    const keys = (node.arguments ?? []).filter((argument) => lists.includes(argument.name.value));
    const values = keys.map(({ value }) => this.#valueOf(value));
    const sizes = values.map((value) => (Array.isArray(value) ? value.length : 1));
    return Math.max(entries ?? PLAIN_LIST_SIZE, ...sizes);
  }

  /** Number of entries requested by the arguments of a field; undefined for a field without such arguments. */
  #requestedEntries(node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
    const requested: number[] = [];
    let byDefault: number | undefined;
    for (const argument of field.args) {
      const requests = requestOf(argument);
      if (!requests) continue;
      byDefault = requests.byDefault;
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      const entries = given && requests.read(this.#valueOf(given.value));
      if (entries === undefined || entries === null) continue;
      requested.push(typeof entries === "number" && entries >= 0 ? entries : UNREADABLE_SIZE);
    }
    return requested.length > 0 ? Math.max(...requested) : byDefault;
  }

  #valueOf(node: ValueNode): unknown {
    return valueFromASTUntyped(node, this.#variables as Record<string, unknown>);
  }
}
