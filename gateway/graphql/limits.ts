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
import type { SocketLimits } from "../sockets/sockets.js";

/** Limits of a GraphQL document and its execution. */
export interface GraphqlLimits extends OperationLimits {
  /** Maximum number of tokens: bounds the time of parsing and validation. */
  readonly tokens: number;
  /** Maximum number of characters. */
  readonly textLength: number;
  readonly fragments: number;
  /** Maximum size of a request body over HTTP, in bytes. */
  readonly bodyBytes: number;
  /**
   * Maximum number of pairs of fields with the same name in the response. Validation compares those that would be
   * merged, without interruption, which takes about a microsecond each.
   */
  readonly comparisons: number;
  /** Maximum number of introspection fields in the response, by the average sizes of their lists. */
  readonly introspection: number;
  /** Concurrent operations per client over HTTP; others are queued. */
  readonly operationsPerClient: number;
  /** Subscriptions per client over HTTP: a stream that is not read holds two results, of which the library makes copies. */
  readonly streamsPerClient: number;
}

export const graphqlLimits: GraphqlLimits = {
  tokens: 1_000,
  textLength: 65_536,
  fragments: 50,
  bodyBytes: 262_144,
  comparisons: 5_000,
  introspection: 300_000,
  operationsPerClient: 1,
  streamsPerClient: 10,
  statements: 2_000,
  rows: 50_000,
  timeMs: 20_000,
};

/** Limits of WebSocket connections to `/graphql`. */
export interface GraphqlSocketLimits extends SocketLimits {
  /**
   * Results per client that are being created or sent; others are queued. Results of subscriptions count until they are
   * created: they share the bytes of their events, so connections that do not read block no others.
   */
  readonly answersPerClient: number;
  /** Pages of missed events that the subscriptions of a client keep until they are sent; others are queued. */
  readonly pagesPerClient: number;
  /** Concurrent queries and subscriptions per connection. */
  readonly operationsPerConnection: number;
  /** Bytes queued for a client that keeps sending; above it the connection is closed with 1013. */
  readonly bufferedBytes: number;
}

export const graphqlSocketLimits: GraphqlSocketLimits = {
  connections: 1_000,
  connectionsPerClient: 100,
  answersPerClient: 2,
  pagesPerClient: 2,
  operationsPerConnection: 100,
  messageBytes: 65_536,
  messagesPerSecond: 200,
  bytesPerSecond: 1024 * 1024,
  bufferedBytes: 4 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};

/** Assumed numbers of entries of introspection lists. */
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

/**
 * Parses a document.
 * @throws GraphQLError for an invalid text, or one beyond the limits: before it is validated, which takes much longer
 * for
 *   malicious documents
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
  const comparisons = comparisonsOf(document);
  if (comparisons > limits.comparisons) {
    throw tooLarge("a number of pairs of fields with the same name of", limits.comparisons, comparisons);
  }
  const introspection = new Introspection(document);
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const cost = introspection.of(definition.selectionSet);
    if (cost > limits.introspection) {
      throw tooLarge("an introspection cost of", limits.introspection, cost, definition);
    }
  }
}

/** Number of pairs of fields with the same name in the response, anywhere in the document. */
function comparisonsOf({ definitions }: DocumentNode): number {
  const times = new Map<string, number>();
  let pairs = 0;
  const count = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const before = times.get(name) ?? 0;
        pairs += before;
        times.set(name, before + 1);
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) count(selection.selectionSet);
    }
  };
  for (const definition of definitions) if ("selectionSet" in definition) count(definition.selectionSet);
  return pairs;
}

function tooLarge(what: string, limit: number, found: number, nodes?: ASTNode): GraphQLError {
  const message = `The operation has ${what} ${found}, the limit is ${limit}`;
  return new GraphQLError(message, { nodes, extensions: { code: "InvalidArgument" } });
}

/** Number of introspection fields in the response. Each fragment is measured once, however often it is spread. */
class Introspection {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #known = new Map<string, number>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  of({ selections }: SelectionSetNode, isInside = false): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) cost += this.#ofFragment(selection.name.value, isInside);
      else if (selection.kind === Kind.INLINE_FRAGMENT) cost += this.of(selection.selectionSet, isInside);
      else {
        const { name, selectionSet } = selection;
        const isOfSchema = isInside || name.value.startsWith("__");
        const times = isInside ? (INTROSPECTION_SIZES[name.value] ?? 1) : 1;
        const inside = selectionSet ? this.of(selectionSet, isOfSchema) : 0;
        cost += (isOfSchema ? 1 : 0) + times * inside;
      }
    }
    return cost;
  }

  #ofFragment(name: string, isInside: boolean): number {
    const key = `${name} ${isInside}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    // A fragment inside itself is rejected by another rule; until then it must not be followed endlessly.
    this.#known.set(key, 0);
    const cost = fragment ? this.of(fragment.selectionSet, isInside) : 0;
    this.#known.set(key, cost);
    return cost;
  }
}
