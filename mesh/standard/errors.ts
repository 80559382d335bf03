import { toRequestError } from "../../gateway/http/errors.js";
import type { ErrorCode } from "../../schema/errors/errors.js";
import type { ErrorBody } from "./schemas.js";

/** An entry of the table of errors. */
interface ErrorEntry {
  readonly code: number;
  readonly message: string;
  readonly description: string;
  /** Whether the same request may succeed later. */
  readonly retriable: boolean;
  /** HTTP status; default 500, as the standard requires for every error of an endpoint. */
  readonly status?: number;
}

/**
 * Every error of Mesh: `/network/options` lists this table. Codes up to 6, 99 and 100 have the
 * meaning that they have in catapult-rest.
 */
export const meshErrors = {
  unsupportedNetwork: {
    code: 1,
    message: "Unsupported network",
    description: "The network of the request is not the one that /network/list returns.",
    retriable: false,
  },
  unsupportedCurve: {
    code: 2,
    message: "Unsupported curve",
    description: "Keys and signatures of Symbol are on the curve edwards25519.",
    retriable: false,
  },
  invalidPublicKey: {
    code: 3,
    message: "Invalid public key",
    description: "A public key has 32 bytes, written as 64 hex digits.",
    retriable: false,
  },
  invalidRequest: {
    code: 4,
    message: "Invalid request",
    description: "The request is not as the standard requires; details name the member and what is valid.",
    retriable: false,
  },
  unavailable: {
    code: 5,
    message: "Service unavailable",
    description: "The database or the node is unreachable, did not answer in time, or has not indexed enough yet.",
    retriable: true,
  },
  blockNotFound: {
    code: 7,
    message: "Block not found",
    description: "The served chain has no such block: it is not indexed yet, or was rolled back.",
    retriable: true,
  },
  transactionNotFound: {
    code: 8,
    message: "Transaction not found",
    description: "The block or the mempool has no such transaction.",
    retriable: true,
  },
  invalidAddress: {
    code: 9,
    message: "Invalid address",
    description: "An address has 39 base32 characters with a valid checksum, and belongs to the network.",
    retriable: false,
  },
  requestTooLarge: {
    code: 10,
    message: "Request too large",
    description: "The body has more bytes or values than this server accepts.",
    retriable: false,
  },
  tooManyRequests: {
    code: 11,
    message: "Too many requests",
    description:
      "The client sends more requests than this server allows; the header Retry-After says when to continue.",
    retriable: true,
    status: 429,
  },
  noSuchEndpoint: {
    code: 12,
    message: "No such endpoint",
    description: "The standard has no such path, or another method: every endpoint is called by POST.",
    retriable: false,
    status: 404,
  },
  offline: {
    code: 13,
    message: "Offline",
    description: "This server has no database and no node: send the request to one that is online.",
    retriable: false,
  },
  invalidOperations: {
    code: 20,
    message: "Invalid operations",
    description: "These operations are in no transaction that this server builds: see the documentation.",
    retriable: false,
  },
  unbalancedOperations: {
    code: 21,
    message: "Unbalanced operations",
    description: "A transfer has two operations: a debit, and after it a credit of the same amount and currency.",
    retriable: false,
  },
  unknownCurrency: {
    code: 22,
    message: "Unknown currency",
    description: "A currency has the id of its mosaic in metadata.id; that of fees has the symbol of the network.",
    retriable: false,
  },
  decimalsMismatch: {
    code: 23,
    message: "Decimals mismatch",
    description: "The decimals of a currency are those of its mosaic.",
    retriable: false,
  },
  missingPublicKey: {
    code: 24,
    message: "Missing public key",
    description: "The public key of an account that sends or signs is missing: see required_public_keys.",
    retriable: false,
  },
  invalidTransaction: {
    code: 25,
    message: "Invalid transaction",
    description: "The text is not a transaction of this network that this server built, or not at this stage.",
    retriable: false,
  },
  invalidSignature: {
    code: 26,
    message: "Invalid signature",
    description: "A signature does not verify, or is by an account that is not to sign.",
    retriable: false,
  },
  missingSignature: {
    code: 27,
    message: "Missing signature",
    description: "The transaction is not signed by all accounts that are to sign it.",
    retriable: false,
  },
  invalidDeadline: {
    code: 28,
    message: "Invalid deadline",
    description: "The deadline is past, or farther ahead than the network allows.",
    retriable: false,
  },
  feeTooLow: {
    code: 29,
    message: "Fee too low",
    description: "The maximum fee is below the fee that the node accepts.",
    retriable: false,
  },
  transactionRejected: {
    code: 30,
    message: "Transaction rejected",
    description: "The transaction can never be valid, and was not announced; details have the network's status code.",
    retriable: false,
  },
  aggregateNotPending: {
    code: 31,
    message: "Aggregate not pending",
    description: "No aggregate with this hash is pending for cosignatures, or none is known yet.",
    retriable: true,
  },
  notImplemented: {
    code: 99,
    message: "Not implemented",
    description:
      "This part of the standard does not apply to Symbol: it has accounts, no coins, and no further methods.",
    retriable: false,
  },
  internalError: {
    code: 100,
    message: "Internal error",
    description: "The gateway failed; its log has the cause under the id of the request, which details name.",
    retriable: false,
  },
} as const satisfies Record<string, ErrorEntry>;

export type MeshErrorName = keyof typeof meshErrors;

/** The whole table, as `/network/options` lists it. */
export const errorBodies: readonly ErrorBody[] = Object.values(meshErrors).map(
  ({ code, message, description, retriable }) => ({ code, message, description, retriable }),
);

/** An error of the table; `details` say what it is about in this case. */
export class MeshError extends Error {
  override readonly name = "MeshError";
  readonly entry: MeshErrorName;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(entry: MeshErrorName, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(meshErrors[entry].message, options);
    this.entry = entry;
    this.details = details;
  }
}

/** A member of the request is invalid; `problem` says what is valid. */
export function invalidMember(member: string, problem: string): MeshError {
  return new MeshError("invalidRequest", { member, problem });
}

/** The entries for errors of the other interfaces; all other codes are invalid requests. */
const ENTRIES: Readonly<Partial<Record<ErrorCode, MeshErrorName>>> = {
  InternalServiceError: "internalError",
  ServiceUnavailable: "unavailable",
  TooManyRequests: "tooManyRequests",
  PayloadTooLarge: "requestTooLarge",
  MethodNotAllowed: "noSuchEndpoint",
};

/** The Mesh form of any error; `cause` is logged and never shown. */
export function toMeshError(error: unknown): MeshError {
  if (error instanceof MeshError) return error;
  const { code, message, cause } = toRequestError(error);
  const entry = ENTRIES[code] ?? "invalidRequest";
  return new MeshError(entry, { problem: message }, { cause: cause ?? error });
}

/** HTTP status and body of the response to a failed request; the body of an internal error names the request's id. */
export function describeMeshError(
  { entry, details }: MeshError,
  requestId: string,
): { readonly status: number; readonly body: ErrorBody } {
  const { code, message, description, retriable, status = 500 }: ErrorEntry = meshErrors[entry];
  const shown = entry === "internalError" ? { request: requestId } : details;
  return { status, body: { code, message, description, retriable, ...(shown && { details: { ...shown } }) } };
}
