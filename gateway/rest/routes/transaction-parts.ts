import { hex } from "../../../catapult/entity/hex.js";
import type { AnyTransactionBody } from "../../../catapult/nouns/transaction.js";
import { isAggregateType } from "../../../catapult/nouns/type-names.js";
import { parseHex } from "../../../schema/graph/formats.js";
import type { Pagination } from "../../../schema/graph/page.js";
import type { AskInParts } from "../route/route.js";

/** Transactions that are answered in one piece: an aggregate may have 250 kB, with what is inside it. */
const IN_ONE_PIECE = 5;
/** Of more of them, the documents are read by this number at one time: five take 15 MiB more, measured by an attack. */
const AT_ONCE = 2;
const ID_BYTES = 12;

/** A transaction as found by a look-up. */
export interface FoundTransaction {
  readonly id: string;
  readonly hash: string | null;
  /** Including embedded transactions. */
  readonly document: string;
}

/** Finds transactions, including embedded ones, by ids and hashes. */
type LookUp = (names: readonly Buffer[]) => Promise<readonly FoundTransaction[]>;

interface SearchedPage {
  readonly page: { readonly documents: readonly string[]; readonly pagination: Pagination };
}

/** Whether this number of transactions with embedded ones may be too large for one piece. */
export function areMany(count: number): boolean {
  return count > IN_ONE_PIECE;
}

/** A JSON array of transactions in the order of the request, each once, in parts. */
export async function* lookedUpInParts(names: readonly Buffer[], lookUp: LookUp): AsyncGenerator<string> {
  const sent = new Set<string>();
  let separator = "[";
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const found = orderAsNamed(some, await lookUp(some)).filter(({ id }) => !sent.has(id));
    for (const { id, document } of found) {
      sent.add(id);
      yield `${separator}${document}`;
      separator = ",";
    }
  }
  yield separator === "[" ? "[]" : "]";
}

/** The found transactions in the order of the request, each once. */
export function orderAsNamed(names: readonly Buffer[], found: readonly FoundTransaction[]): FoundTransaction[] {
  const byName = new Map(found.flatMap((entry) => [entry.id, entry.hash].map((name) => [name, entry] as const)));
  return [...new Set(names.flatMap((name) => byName.get(hex(name)) ?? []))];
}

/** The page of a search, aggregates with embedded transactions, in parts. */
export async function* searchedInParts(ask: AskInParts, lookUp: LookUp): AsyncGenerator<string> {
  const { page } = (await ask.own({ single: true, whole: false })) as unknown as SearchedPage;
  const { documents, pagination } = page;
  yield '{"data":[';
  for (let start = 0; start < documents.length; start += AT_ONCE) {
    const some = documents.slice(start, start + AT_ONCE);
    const ids = some.flatMap((document) => idOfAggregate(document) ?? []);
    const whole = new Map((ids.length > 0 ? await lookUp(ids) : []).map((found) => [found.id, found.document]));
    for (const [index, document] of some.entries()) {
      const aggregate = idOfAggregate(document);
      const id = aggregate && hex(aggregate);
      yield `${start + index > 0 ? "," : ""}${(id && whole.get(id)) ?? document}`;
    }
  }
  yield `],"pagination":${JSON.stringify(pagination)}}`;
}

function idOfAggregate(document: string): Buffer | undefined {
  const { id, transaction } = JSON.parse(document) as AnyTransactionBody;
  return isAggregateType(transaction.type) ? parseHex(id, ID_BYTES) : undefined;
}
