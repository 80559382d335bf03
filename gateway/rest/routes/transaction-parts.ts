import { hex } from "../../../catapult/entity/hex.js";
import { isAggregateType } from "../../../catapult/structs/type-names.js";
import type { Pagination } from "../../../schema/graph/page.js";
import type { WithBody } from "../route/page.js";
import type { AskInParts } from "../route/route.js";

/** Transactions that are answered in one piece: an aggregate may have 250 kB, with what is inside it. */
const IN_ONE_PIECE = 5;
/** Of more of them, the bodies are read by this number at one time: five take 15 MiB more, measured by an attack. */
const AT_ONCE = 2;

/** A transaction as found by a look-up. */
export interface FoundTransaction extends WithBody {
  readonly id: string;
  readonly hash: string | null;
}

/** Finds transactions, including embedded ones, by ids and hashes. */
type LookUp = (names: readonly Buffer[]) => Promise<readonly FoundTransaction[]>;

interface ListedTransaction extends WithBody {
  readonly id: string;
  readonly type: number;
}

interface SearchedPage {
  readonly page: { readonly data: readonly ListedTransaction[]; readonly pagination: Pagination };
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
    for (const { id, body } of found) {
      sent.add(id);
      yield `${separator}${body.text}`;
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
  const { page } = (await ask.own({ joined: false, whole: false })) as unknown as SearchedPage;
  const { data, pagination } = page;
  yield '{"data":[';
  for (let start = 0; start < data.length; start += AT_ONCE) {
    const some = data.slice(start, start + AT_ONCE);
    const ids = some.filter(({ type }) => isAggregateType(type)).map(({ id }) => Buffer.from(id, "hex"));
    const whole = new Map((ids.length > 0 ? await lookUp(ids) : []).map((found) => [found.id, found]));
    for (const [index, listed] of some.entries()) {
      yield `${start + index > 0 ? "," : ""}${(whole.get(listed.id) ?? listed).body.text}`;
    }
  }
  yield `],"pagination":${JSON.stringify(pagination)}}`;
}
