/** Where and how an error code shows. */
export interface ErrorCodeInfo {
  /** HTTP status of a REST answer. */
  readonly status: number;
  readonly meaning: string;
}

/**
 * Every code with which a request can be refused or fail: `code` in the bodies of REST and of `/ws`, and
 * `extensions.code` in GraphQL. `docs/rest.md` lists them, and a test compares both.
 */
export const errorCodes = {
  InvalidContent: { status: 400, meaning: "An argument is not of its type." },
  Forbidden: { status: 403, meaning: "The client may not use this interface." },
  ResourceNotFound: { status: 404, meaning: "The requested resource does not exist." },
  NotFound: { status: 404, meaning: "The same without a message, where catapult-rest sends none and is imitated." },
  MethodNotAllowed: { status: 405, meaning: "The path exists, but not with this method." },
  NotAcceptable: { status: 406, meaning: "The response cannot be sent in a form that the client accepts." },
  RequestTimeout: { status: 408, meaning: "The request did not arrive in time." },
  InvalidArgument: { status: 409, meaning: "An argument is missing, or has the right type but an unacceptable value." },
  PayloadTooLarge: { status: 413, meaning: "The body is larger than the limit." },
  UnsupportedMediaType: { status: 415, meaning: "The body is not sent as application/json." },
  ExpectationFailed: { status: 417, meaning: "The request expects something other than 100-continue." },
  TooManyRequests: { status: 429, meaning: "More requests than allowed." },
  RequestHeaderFieldsTooLarge: { status: 431, meaning: "The URL and the headers are larger than the limit." },
  InternalServiceError: { status: 500, meaning: "The gateway failed; its log has the cause under the request id." },
  ServiceUnavailable: {
    status: 503,
    meaning: "The database or the node is unreachable, or did not answer in time.",
  },
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

/** A failure that may be shown to whoever asked: `message` names what was wrong and what would have been right. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Read by GraphQL executors, which put it beside the message. */
  readonly extensions: { readonly code: ErrorCode };
  /** Name of the argument that is wrong, where it is one and known: `hashes[3]` for an entry of a list. */
  readonly argument: string | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly argument?: string | undefined }) {
    super(message, options);
    this.name = "ApiError";
    this.code = code;
    this.extensions = { code };
    this.argument = options?.argument;
  }
}

/** An argument is not of its type; the message is `<name> must be <expected>`. */
export function invalidContent(name: string, expected: string): ApiError {
  return new ApiError("InvalidContent", `${name} must be ${expected}`, { argument: name });
}

/** An argument is of its type but cannot be accepted; the message says of which one, and what would be. */
export function invalidArgument(message: string, argument?: string): ApiError {
  return new ApiError("InvalidArgument", message, { argument });
}

/** Nothing has this id (hash, height…), as the reader wrote it. */
export function notFound(id: string | number): ApiError {
  return new ApiError("ResourceNotFound", `no resource exists with id '${id}'`);
}

/** The database or the node cannot be reached. `cause` is logged and never shown. */
export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("ServiceUnavailable", message, { cause });
}
