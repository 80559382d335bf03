/** HTTP status and meaning of an error code. */
export interface ErrorCodeInfo {
  /** HTTP status of a REST response. */
  readonly status: number;
  readonly description: string;
}

/**
 * Every error code: `code` in the bodies of REST and of `/ws`, and `extensions.code` in GraphQL. `docs/rest.md` lists
 * them, and a test compares both.
 */
export const errorCodes = {
  InvalidContent: { status: 400, description: "An argument is not of its type." },
  Forbidden: { status: 403, description: "The client may not use this interface." },
  ResourceNotFound: { status: 404, description: "The requested resource does not exist." },
  NotFound: { status: 404, description: "The same without a message, where catapult-rest sends none and is imitated." },
  MethodNotAllowed: { status: 405, description: "The path exists, but not with this method." },
  NotAcceptable: { status: 406, description: "The response cannot be sent in a form that the client accepts." },
  RequestTimeout: { status: 408, description: "The request did not arrive in time." },
  InvalidArgument: {
    status: 409,
    description: "An argument is missing, or has the right type but an unacceptable value.",
  },
  PayloadTooLarge: { status: 413, description: "The body is larger than the limit." },
  UriTooLong: { status: 414, description: "The URL is longer than the limit." },
  UnsupportedMediaType: { status: 415, description: "The body is not sent as application/json." },
  ExpectationFailed: { status: 417, description: "The request expects something other than 100-continue." },
  UpgradeRequired: { status: 426, description: "The path serves WebSocket connections only." },
  TooManyRequests: { status: 429, description: "More requests than allowed." },
  RequestHeaderFieldsTooLarge: { status: 431, description: "The URL and the headers are larger than the limit." },
  InternalServiceError: { status: 500, description: "The gateway failed; its log has the cause under the request id." },
  ServiceUnavailable: {
    status: 503,
    description: "The database or the node is unreachable, or did not answer in time.",
  },
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

/** An error that may be shown to clients: `message` names what is wrong and what is valid. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Read by GraphQL executors, which add it to the message. */
  readonly extensions: { readonly code: ErrorCode };
  /** Name of the invalid argument, if it is a known one: `hashes[3]` for an entry of a list. */
  readonly argument: string | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly argument?: string | undefined }) {
    super(message, options);
    this.name = "ApiError";
    this.code = code;
    this.extensions = { code };
    this.argument = options?.argument;
  }
}

/** The work for a client has ended because the client has disconnected. */
export class ClientGone extends ApiError {
  constructor() {
    super("ServiceUnavailable", "the client has disconnected");
  }
}

/** An argument is not of its type; the message is `<name> must be <expected>`. */
export function invalidContent(name: string, expected: string): ApiError {
  return new ApiError("InvalidContent", `${name} must be ${expected}`, { argument: name });
}

/** An argument has the right type but is not acceptable; the message names it, and what is valid. */
export function invalidArgument(message: string, argument?: string): ApiError {
  return new ApiError("InvalidArgument", message, { argument });
}

/** Nothing has this id (hash, height…), as spelled by the client. */
export function notFound(id: string | number): ApiError {
  return new ApiError("ResourceNotFound", `no resource exists with id '${id}'`);
}

/** The database or the node is unreachable. `cause` is logged and never shown. */
export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError("ServiceUnavailable", message, { cause });
}

/** A consumer did not take its events: more waited for it than its limit. */
export class EventBufferOverflowError extends ApiError {
  constructor(bytes: number) {
    super("TooManyRequests", `more than ${bytes} bytes of events waited for a subscriber that does not read them`);
    this.name = "EventBufferOverflowError";
  }
}

/** Events were deleted before they could be read, so a consumer would miss them without noticing. */
export class EventsMissedError extends ApiError {
  /** First and last missed sequence. */
  readonly from: number;
  readonly to: number;

  constructor(from: number, to: number) {
    super("ServiceUnavailable", `events ${from} to ${to} were deleted before they were read`);
    this.name = "EventsMissedError";
    this.from = from;
    this.to = to;
  }
}

/** The valid starts: the oldest retained event, and the next future one. */
export interface ResumeRange {
  readonly oldest: number;
  readonly next: number;
}

/** A start before the oldest retained event, or after the next future one. */
export class ResumeRangeError extends ApiError {
  readonly oldest: number;
  readonly next: number;
  override readonly extensions: { readonly code: "InvalidArgument" } & ResumeRange;

  constructor({ oldest, next }: ResumeRange) {
    super(
      "InvalidArgument",
      `the oldest retained event is ${oldest}, and the next one will be ${next}: from must be from ${oldest} to ${next}`,
    );
    this.name = "ResumeRangeError";
    this.oldest = oldest;
    this.next = next;
    this.extensions = { code: "InvalidArgument", oldest, next };
  }
}
