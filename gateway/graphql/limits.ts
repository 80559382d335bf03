import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionSetNode,
} from "graphql";
import type { OperationLimits } from "../../schema/services/operation-meter.js";

/** How much one GraphQL document may ask, and how much may be done to answer it. */
export interface GraphqlLimits extends OperationLimits {
  /** Fields inside each other. */
  readonly depth: number;
  /** Fields, counted wherever a fragment puts them. */
  readonly fields: number;
  /** Fields of the query itself: each is a question to the database or the node. */
  readonly rootFields: number;
  /** Words and signs of the text. */
  readonly tokens: number;
  /** Characters of the text. */
  readonly textLength: number;
  readonly fragments: number;
  /** Fields of the schema itself that may stand in the answer, by how many each list of it has on the average. */
  readonly introspection: number;
  /** Fields that may stand in the answer, by the sizes of the lists that are asked for: see cost.ts. */
  readonly cost: number;
  /** Operations of one client over HTTP that run at one time; others wait. */
  readonly operationsPerClient: number;
  /** Subscriptions of one client over HTTP. */
  readonly streamsPerClient: number;
}

export const graphqlLimits: GraphqlLimits = {
  depth: 10,
  fields: 300,
  rootFields: 10,
  tokens: 2_000,
  textLength: 65_536,
  fragments: 50,
  introspection: 300_000,
  cost: 50_000,
  operationsPerClient: 1,
  streamsPerClient: 20,
  statements: 500,
  rows: 50_000,
  timeMs: 20_000,
};

/** What connections to `/graphql` by WebSocket may use. */
export interface GraphqlSocketLimits {
  /** Open connections; one more is answered with HTTP 503. */
  readonly connections: number;
  /** Open connections of one client; one more is answered with HTTP 429. */
  readonly connectionsPerClient: number;
  /** Answers and events of one client that are made or sent at one time; others wait. */
  readonly answersPerClient: number;
  /** Queries and subscriptions of one connection that run at one time. */
  readonly operationsPerConnection: number;
  /** Size of a message from a client, in bytes; a larger one closes the connection with 1009. */
  readonly messageBytes: number;
  /** Messages of all connections of one client that are handled in a second; the others wait. */
  readonly messagesPerSecond: number;
  /** What is read from all connections of one client in a second, in bytes; the rest waits in the sockets. */
  readonly bytesPerSecond: number;
  /** Who sends on while more than this waits for him is closed with 1013, in bytes. */
  readonly bufferedBytes: number;
  /**
   * Time between pings, in ms; who has not answered one until the next is cut, and so is who takes nothing of what is
   * pending from one to the next but one.
   */
  readonly pingIntervalMs: number;
  /** Time for the closing handshake before the socket is cut, in ms. */
  readonly closeTimeoutMs: number;
}

export const graphqlSocketLimits: GraphqlSocketLimits = {
  connections: 1_000,
  connectionsPerClient: 100,
  answersPerClient: 8,
  operationsPerConnection: 100,
  messageBytes: 65_536,
  messagesPerSecond: 200,
  bytesPerSecond: 1024 * 1024,
  bufferedBytes: 4 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};

/** Entries that lists of the schema itself are reckoned to have. */
const INTROSPECTION_SIZES: Readonly<Record<string, number>> = {
  types: 200,
  fields: 10,
  args: 2,
  inputFields: 3,
  enumValues: 5,
  directives: 5,
  interfaces: 1,
  possibleTypes: 5,
};

interface Size {
  readonly depth: number;
  readonly fields: number;
}

/**
 * Parses a document.
 * @throws GraphQLError for a text that is none, or is beyond the limits: before it is validated, which takes much longer
 *   than this for documents that are made to
 */
export function parseWithinLimits(text: string, limits: GraphqlLimits): DocumentNode {
  if (text.length > limits.textLength) throw tooLarge("a length of", limits.textLength, text.length);
  const document = parse(text, { maxTokens: limits.tokens });
  checkLimits(document, limits);
  return document;
}

/** @throws GraphQLError for a document beyond the limits */
function checkLimits(document: DocumentNode, limits: GraphqlLimits): void {
  const { definitions } = document;
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (fragments > limits.fragments) throw tooLarge("a number of fragments of", limits.fragments, fragments);
  const measure = new Measure(document);
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, fields } = measure.of(definition.selectionSet);
    const check = (what: string, limit: number, found: number) => {
      if (found > limit) throw tooLarge(what, limit, found, definition);
    };
    check("a depth of", limits.depth, depth);
    check("a number of fields of", limits.fields, fields);
    check("a number of root fields of", limits.rootFields, measure.countFields(definition.selectionSet));
    check("an introspection cost of", limits.introspection, measure.introspectionOf(definition.selectionSet));
  }
}

function tooLarge(what: string, limit: number, found: number, nodes?: ASTNode): GraphQLError {
  const message = `The operation has ${what} ${found}, the limit is ${limit}`;
  return new GraphQLError(message, { nodes, extensions: { code: "InvalidArgument" } });
}

/** Sizes of selections. Each fragment is measured once, however often it is spread. */
class Measure {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #sizes = new Map<string, Size>();
  readonly #roots = new Map<string, number>();
  readonly #introspection = new Map<string, number>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  of({ selections }: SelectionSetNode): Size {
    let depth = 0;
    let fields = 0;
    for (const selection of selections) {
      let size: Size = { depth: 0, fields: 0 };
      if (selection.kind === Kind.INLINE_FRAGMENT) size = this.of(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) size = this.#ofFragment(selection.name.value);
      else if (!selection.name.value.startsWith("__")) {
        const inside = selection.selectionSet ? this.of(selection.selectionSet) : size;
        size = { depth: inside.depth + 1, fields: inside.fields + 1 };
      }
      depth = Math.max(depth, size.depth);
      fields += size.fields;
    }
    return { depth, fields };
  }

  /** Fields right in this selection, through fragments. */
  countFields({ selections }: SelectionSetNode): number {
    let count = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) count += selection.name.value.startsWith("__") ? 0 : 1;
      else if (selection.kind === Kind.INLINE_FRAGMENT) count += this.countFields(selection.selectionSet);
      else count += this.#countFragment(selection.name.value);
    }
    return count;
  }

  /** What the questions about the schema itself may answer, in fields. */
  introspectionOf({ selections }: SelectionSetNode, isInside = false): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        cost += this.#introspectionOfFragment(selection.name.value, isInside);
      else if (selection.kind === Kind.INLINE_FRAGMENT) cost += this.introspectionOf(selection.selectionSet, isInside);
      else {
        const { name, selectionSet } = selection;
        const isOfSchema = isInside || name.value.startsWith("__");
        const times = isInside ? (INTROSPECTION_SIZES[name.value] ?? 1) : 1;
        const inside = selectionSet ? this.introspectionOf(selectionSet, isOfSchema) : 0;
        cost += (isOfSchema ? 1 : 0) + times * inside;
      }
    }
    return cost;
  }

  #introspectionOfFragment(name: string, isInside: boolean): number {
    const key = `${name} ${isInside}`;
    const known = this.#introspection.get(key);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    this.#introspection.set(key, 0);
    const cost = fragment ? this.introspectionOf(fragment.selectionSet, isInside) : 0;
    this.#introspection.set(key, cost);
    return cost;
  }

  #ofFragment(name: string): Size {
    const known = this.#sizes.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    // A fragment inside itself is refused by another rule; until then it must not be followed for ever.
    this.#sizes.set(name, { depth: 0, fields: 0 });
    const size = fragment ? this.of(fragment.selectionSet) : { depth: 0, fields: 0 };
    this.#sizes.set(name, size);
    return size;
  }

  #countFragment(name: string): number {
    const known = this.#roots.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    this.#roots.set(name, 0);
    const count = fragment ? this.countFields(fragment.selectionSet) : 0;
    this.#roots.set(name, count);
    return count;
  }
}
