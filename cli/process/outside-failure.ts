import { NodeUnavailableError } from "../../catapult/wire/errors.js";

const CONNECTING = new Set(["connect", "getaddrinfo"]);
/** PostgreSQL: no such database, no such user, a wrong password, a host that is not let in. */
const SETTING_STATES = /^(28...|3D000)$/;

/** Why a node, the database or a file could not be reached, in a sentence. */
export interface OutsideFailure {
  readonly sentence: string;
  /** Whether waiting does not help, but another `DATABASE_URL`. */
  readonly isSetting: boolean;
}

/** What an error says of a connection that could not be made, or of a file; undefined for errors of other kinds. */
export function outsideFailure(error: unknown): OutsideFailure | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if (error instanceof NodeUnavailableError) {
    const reasons = error.attempts.map(({ reason }) => reason).join("; ");
    return { sentence: `No node can be reached: ${reasons}.`, isSetting: false };
  }
  // Node tries every address of a name, and says of each what went wrong.
  if ("errors" in error && Array.isArray(error.errors)) return outsideFailure(error.errors[0]);
  const code = "code" in error ? String(error.code) : "";
  const message = "message" in error ? String(error.message) : code;
  if (SETTING_STATES.test(code)) return { sentence: `The database refuses us: ${message}.`, isSetting: true };
  if ("syscall" in error && "path" in error)
    return { sentence: `A file cannot be used: ${message}.`, isSetting: false };
  const isConnecting = "syscall" in error && CONNECTING.has(String(error.syscall));
  return isConnecting ? { sentence: `No connection can be made: ${message}.`, isSetting: false } : undefined;
}
