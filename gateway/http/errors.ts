import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { ApiError, type ErrorCode, errorCodes, invalidContent } from "../../schema/errors/errors.js";
import { logFailure, toApiError } from "../../schema/errors/failure.js";
import { type Exchange, exchangeOf } from "./exchange.js";
import { send } from "./send.js";

/** The response to a failed request. */
interface Failure {
  readonly status: number;
  readonly body: string;
}

/** Answers failed requests; closes the connection if the answer has begun. Express recognizes it by its four parameters. */
export function failureHandler(log: Logger): ErrorRequestHandler {
  return async (error, request, response, _next) => {
    const exchange = exchangeOf(response);
    // The client has disconnected: that is why the work has ended.
    if (exchange.connection.signal.aborted) return;
    const { status, body } = describeFailure(error, exchange, log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.removeHeader("ETag");
    response.setHeader("Cache-Control", "no-store");
    await send(request, response, status, body);
  };
}

/**
 * The response to a failed request; internal errors are logged with the request id. The body of status 500 has the id
 * too, and nothing about the cause.
 */
function describeFailure(error: unknown, { requestId, client }: Exchange, log: Logger): Failure {
  const failure = toRequestError(error);
  const { status } = errorCodes[failure.code];
  logFailure(failure, { requestId, client, log }, "Request failed");
  const message =
    failure.code === "InternalServiceError" ? `${failure.message}: request ${requestId}` : failure.message;
  return { status, body: JSON.stringify({ code: failure.code, message }) };
}

/** The public form of any error of a request: also of express and its body parser. */
export function toRequestError(error: unknown): ApiError {
  return fromHttpLibrary(error) ?? toApiError(error);
}

/** Errors of express and its body parser, by `type`; 400 is used for everything that they could not parse. */
const parserErrors: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  "entity.too.large": { code: "PayloadTooLarge", message: "the body exceeds the size limit of this server" },
  "encoding.unsupported": {
    code: "UnsupportedMediaType",
    message: "the body must be sent without Content-Encoding, or with gzip, deflate or br",
  },
  "charset.unsupported": { code: "UnsupportedMediaType", message: "the body must be JSON in UTF-8" },
};

function fromHttpLibrary(error: unknown): ApiError | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  const type = "type" in error ? String(error.type) : "";
  const known = parserErrors[type];
  if (known) return new ApiError(known.code, known.message);
  if (error.status !== 400) return undefined;
  if (error instanceof URIError) return invalidContent("the path", "percent-encoded UTF-8");
  // Errors of the decompressor are the only ones without a type.
  return invalidContent("the body", type === "" ? "compressed as stated in Content-Encoding" : "JSON");
}
