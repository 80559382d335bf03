import { describeFileError } from "../../catapult/files/file-error.js";
import { NodeUnavailableError } from "../../catapult/wire/errors.js";
import { databaseFailureOf } from "../../database/outage.js";
import { UnknownNetworkError, WrongNetworkError } from "../../indexer/chain/step/errors.js";

/** Node's codes for certificates that are not trusted, not valid now, or of another host. */
const CERTIFICATE_CODES =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)_)/;
/** An error of the driver without a code. */
const NO_ENCRYPTION = "The server does not support SSL connections";

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
  const failure = databaseFailureOf(error);
  if (failure === "rejected") return { sentence: `PostgreSQL rejected the connection: ${message}.`, isSetting: true };
  if (CERTIFICATE_CODES.test(code))
    return { sentence: `The certificate of PostgreSQL was not accepted: ${message}.`, isSetting: true };
  if (message === NO_ENCRYPTION)
    return { sentence: "PostgreSQL does not encrypt connections, but its URL asks for that.", isSetting: true };
  if ("syscall" in error && "path" in error)
    return { sentence: `A file cannot be used: ${describeFileError(error)}.`, isSetting: false };
  return failure === "lost" ? { sentence: `Connection failed: ${message}.`, isSetting: false } : undefined;
}
