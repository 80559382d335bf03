import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** A text is prepared when it is repeated: a single use would waste the server's memory. */
const PREPARE_AFTER = 2;
/** Maximum number of prepared texts; further ones are sent unprepared. Each costs memory per server connection. */
const MAX_PREPARED = 200;
/** Texts that came once and are remembered: the oldest are dropped. */
const MAX_SEEN = 500;
/** Longer texts are writes of many rows, whose cost is not in parsing; in characters. */
const MAX_TEXT_LENGTH = 6_000;
/** A migration may add columns while we run, and a prepared statement must not change its result type. */
const ALL_COLUMNS = /\bselect\s+("?\w+"?\.)?\*|\breturning\s+\*/i;
/** A varying number of rows in one statement: such a text is rarely repeated. */
const SEVERAL_ROWS = /^\s*insert\b[\s\S]*\),\s*\(\$\d/i;

/** Which statements of a pool are prepared, and their names. */
export class StatementNames {
  /** Number of uses of texts that are not prepared yet. */
  readonly #seen = new LRUCache<string, number>({ max: MAX_SEEN });
  /** Names by text. They are derived from the text alone: behind a pooler, processes share prepared statements. */
  readonly #names = new Map<string, string>();

  /** The name under which a text is prepared, or undefined if it is sent unprepared. Counts one use of it. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_PREPARED || text.length > MAX_TEXT_LENGTH) return undefined;
    if (ALL_COLUMNS.test(text) || SEVERAL_ROWS.test(text)) return undefined;
    const uses = (this.#seen.get(text) ?? 0) + 1;
    if (uses >= PREPARE_AFTER) {
      const name = createHash("sha256").update(text).digest("base64url");
      this.#names.set(text, name);
      this.#seen.delete(text);
      return name;
    }
    this.#seen.set(text, uses);
    return undefined;
  }
}
