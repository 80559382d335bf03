import { describeFileError } from "../../catapult/files/file-error.js";
import { NodeUnavailableError } from "../../catapult/wire/errors.js";
import { classifyDatabaseFailure, isCertificateFailure, lacksEncryption } from "../../database/outage.js";
import { UnknownNetworkError, WrongNetworkError } from "../../indexer/chain/step/errors.js";

/** What operating systems, PostgreSQL and Node say of a disk without space, or of a quota that is used up. */
const DISK_FULL = /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/i;

/** There is no space left for the data. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";

  /** @param directory of the data */
  constructor(directory: string, options?: ErrorOptions) {
    super(`The disk of ${directory} is full: free some space, or set DATA_DIR to a folder on another disk`, options);
  }
}

/** Whether a message says that a disk is full. */
export function saysDiskFull(text: string): boolean {
  return DISK_FULL.test(text);
}

/** Why a node, the database or a file could not be used, in a sentence. */
export interface OutsideFailure {
  readonly sentence: string;
  /** Whether another setting is needed, because waiting does not help. */
  readonly isSetting: boolean;
}

/**
 * Describes an error of a connection that could not be opened, of a network, or of a file; undefined for errors of other
 * kinds.
 */
export function outsideFailure(error: unknown): OutsideFailure | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if (error instanceof UnknownNetworkError || error instanceof WrongNetworkError)
    return { sentence: `${error.message}.`, isSetting: true };
  if (error instanceof NodeUnavailableError) {
    const reasons = error.attempts.map(({ reason }) => reason).join("; ");
    return { sentence: `No node can be reached: ${reasons}.`, isSetting: false };
  }
  // Node tries every address of a name, and reports an error for each.
  if ("errors" in error && Array.isArray(error.errors)) return outsideFailure(error.errors[0]);
  const code = "code" in error ? String(error.code) : "";
  const message = "message" in error ? String(error.message) : code;
  if (isCertificateFailure(error))
    return { sentence: `The certificate of PostgreSQL was not accepted: ${message}.`, isSetting: true };
  if (lacksEncryption(error))
    return { sentence: "PostgreSQL does not encrypt connections, but its URL asks for that.", isSetting: true };
  const failure = classifyDatabaseFailure(error);
  if (failure === "rejected") return { sentence: `PostgreSQL rejected the connection: ${message}.`, isSetting: true };
  if (error instanceof DiskFullError) return { sentence: `${message}.`, isSetting: false };
  if (saysDiskFull(message)) return { sentence: `A disk is full: ${message}.`, isSetting: false };
  if ("syscall" in error && "path" in error)
    return { sentence: `A file cannot be used: ${describeFileError(error)}.`, isSetting: false };
  return failure === "lost" ? { sentence: `Connection failed: ${message}.`, isSetting: false } : undefined;
}
