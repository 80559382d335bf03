import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from "graphql";
import type { OperationLimits } from "../../schema/operation-meter.js";

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
  /** Fields that may stand in the answer, by the sizes of the lists that are asked for: see cost.ts. */
  readonly cost: number;
}

export const graphqlLimits: GraphqlLimits = {
  depth: 10,
  fields: 300,
  rootFields: 10,
  tokens: 2_000,
  cost: 50_000,
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
  answersPerClient: 6,
  operationsPerConnection: 100,
  messageBytes: 65_536,
  messagesPerSecond: 200,
  bytesPerSecond: 1024 * 1024,
  bufferedBytes: 4 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};

interface Size {
  readonly depth: number;
  readonly fields: number;
}

/** Refuses documents beyond the limits. Questions about the schema itself (`__schema`, `__type`) do not count. */
export function limitRule(limits: GraphqlLimits): ValidationRule {
  return (context) => ({
    Document(document) {
      const measure = new Measure(document);
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        const { depth, fields } = measure.of(definition.selectionSet);
        const rootFields = measure.countFields(definition.selectionSet);
        const report = (what: string, limit: number, found: number) => {
          if (found <= limit) return;
          const message = `The operation has ${what} ${found}, the limit is ${limit}`;
          const extensions = { code: "InvalidArgument" };
          context.reportError(new GraphQLError(message, { nodes: definition, extensions }));
        };
        report("a depth of", limits.depth, depth);
        report("a number of fields of", limits.fields, fields);
        report("a number of root fields of", limits.rootFields, rootFields);
      }
    },
  });
}

/** Sizes of selections. Each fragment is measured once, however often it is spread. */
class Measure {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #sizes = new Map<string, Size>();
  readonly #roots = new Map<string, number>();

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
