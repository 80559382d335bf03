import { expect } from "@jest/globals";
import type { StateKind } from "../../catapult/state/kind.js";
import { publishedApi } from "./openapi.js";
import type { RecordedStateGateway } from "./recorded-state-gateway.js";
import { RestClient } from "./rest-client.js";
import { SeededRandom } from "./seeded-random.js";
import { LISTED_KINDS } from "./state-kinds.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

/** An entry as a node reports it: hex digits. */
export interface RecordedState {
  readonly kind: StateKind;
  readonly key: string;
  readonly value: string;
}

/** The key in the form of REST: ids are little-endian at the node. */
export function restKey(key: string): string {
  return key.length === 16 ? Buffer.from(key, "hex").reverse().toString("hex").toUpperCase() : key;
}

/** The state of the recorded chain, as its node reports it and as it is served. */
export class RecordedStates {
  readonly served: RecordedStateGateway;
  readonly rest: RestClient;
  readonly recorded: readonly RecordedState[];
  readonly random = new SeededRandom();
  /** Entries of each list, oldest first. */
  readonly lists = new Map<StateKind, AnyEntry[]>();

  constructor(served: RecordedStateGateway, recorded: readonly RecordedState[]) {
    this.served = served;
    this.recorded = recorded;
    this.rest = new RestClient(served.url, publishedApi());
  }

  async read(): Promise<void> {
    for (const { kind, of } of LISTED_KINDS) this.lists.set(kind, await this.rest.all(of.path, { order: "asc" }));
  }

  entries(kind: StateKind): AnyEntry[] {
    return this.lists.get(kind) ?? [];
  }

  /** Keys of the recorded entries of a kind in the form of REST. */
  keys(kind: StateKind): string[] {
    return this.recorded.filter((one) => one.kind === kind).map(({ key }) => restKey(key));
  }

  async ask(query: string, variables: object = {}): Promise<AnyEntry> {
    const { data, errors } = await this.served.ask(query, variables);
    expect({ query: query.slice(0, 80), errors }).toEqual({ query: query.slice(0, 80), errors: undefined });
    return data;
  }
}
