import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
  type ValueNode,
} from "graphql";

/** What a list costs besides its entries: each is a question to the database. */
const LIST_COST = 10;
/** Entries that a list without arguments is reckoned to have. */
const PLAIN_LIST_SIZE = 5;
/** Entries of a list with arguments that says nothing of them, and of one whose number is a variable. */
const DEFAULT_SIZE = 10;
const VARIABLE_SIZE = 100;

/**
 * Refuses documents that may answer too much: every field costs 1 for each time that it may stand in the answer, by the
 * sizes of the lists around it as they are asked for.
 */
export function costRule(limit: number): ValidationRule {
  return (context) => ({
    Document(document) {
      const reckoning = new Reckoning(context.getSchema());
      for (const definition of document.definitions) {
        if (definition.kind === Kind.FRAGMENT_DEFINITION) reckoning.fragments.set(definition.name.value, definition);
      }
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const root = context.getSchema().getRootType(definition.operation);
        const cost = root ? reckoning.of(definition.selectionSet, root, 1) : 0;
        if (cost <= limit) continue;
        const message = `The operation may cost ${cost}, the limit is ${limit}: ask for shorter lists, or for fewer inside each other`;
        context.reportError(new GraphQLError(message, { nodes: definition, extensions: { code: "InvalidArgument" } }));
      }
    },
  });
}

class Reckoning {
  readonly fragments = new Map<string, FragmentDefinitionNode>();
  readonly #schema: GraphQLSchema;
  readonly #known = new Map<string, number>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
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
    // Unknown ones are refused by another rule; those of the schema itself do not count.
    if (!field) return 0;
    const hasEntries = field.args.some(({ name }) => name === "first");
    const inside = node.selectionSet
      ? this.of(node.selectionSet, getNamedType(field.type), hasEntries ? sizeOf(node) : PLAIN_LIST_SIZE)
      : 0;
    return (hasEntries ? LIST_COST : 1) + timesOf(node, field, type, listSize) * inside;
  }

  /** Reckoned once, however often it is spread; one inside itself is refused by another rule. */
  #ofFragment(name: string, listSize: number): number {
    const key = `${name} ${listSize}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, 0);
    const fragment = this.fragments.get(name);
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value);
    const cost = fragment && type ? this.of(fragment.selectionSet, type, listSize) : 0;
    this.#known.set(key, cost);
    return cost;
  }
}

/** How often what is inside a field stands in the answer: a page has as many entries, a look-up as many keys, as are asked for. */
function timesOf(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  { name }: GraphQLNamedType,
  listSize: number,
): number {
  if (!isListType(getNullableType(field.type))) return 1;
  if (/Page$|^BalanceHistory$|^PastHolders$/.test(name)) return listSize;
  const lists = field.args.filter(({ type }) => isListType(getNullableType(type))).map((argument) => argument.name);
  const keys = (node.arguments ?? []).filter((argument) => lists.includes(argument.name.value));
  const sizes = keys.map(({ value }) => (value.kind === Kind.LIST ? value.values.length : VARIABLE_SIZE));
  return Math.max(PLAIN_LIST_SIZE, ...sizes);
}

/** Entries that a list is asked for: by first, or by the size of its page. */
function sizeOf({ arguments: args = [] }: FieldNode): number {
  const given = (name: string) => args.find((argument) => argument.name.value === name)?.value;
  const page = given("page");
  if (page?.kind === Kind.VARIABLE) return VARIABLE_SIZE;
  const pageSize =
    page?.kind === Kind.OBJECT ? page.fields.find(({ name }) => name.value === "pageSize")?.value : undefined;
  return numberIn(given("first") ?? pageSize);
}

function numberIn(value: ValueNode | undefined): number {
  if (value?.kind === Kind.INT) return Number(value.value);
  return value?.kind === Kind.VARIABLE ? VARIABLE_SIZE : DEFAULT_SIZE;
}
