import type { Logger } from "pino";
import { ApiError, type ErrorCode, errorCodes, invalidContent } from "../../schema/services/errors.js";
import { toApiError } from "../../schema/services/failure.js";

/** What a failed REST request is answered with. */
export interface Failure {
  readonly status: number;
  readonly body: string;
}

/**
 * The answer to a failed request; failures of our own side are logged with the request's id. The body of those with
 * status 500 has the id too, and nothing of the cause.
 */
export function describeFailure(error: unknown, requestId: string, log: Logger): Failure {
  const failure = fromHttpLibrary(error) ?? toApiError(error);
  const { status } = errorCodes[failure.code];
  if (status >= 500) log.error({ requestId, code: failure.code, err: failure.cause ?? failure }, "request failed");
  const message =
    failure.code === "InternalServiceError" ? `${failure.message}: request ${requestId}` : failure.message;
  return { status, body: JSON.stringify({ code: failure.code, message }) };
}

/** What express and its body parser throw, by their `type`; 400 stands for all that they could not read. */
const parserErrors: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  "entity.too.large": { code: "PayloadTooLarge", message: "the body is larger than this server takes" },
  "encoding.unsupported": {
    code: "UnsupportedMediaType",
    message: "the body must be sent as it is, or with Content-Encoding gzip, deflate or br",
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
  // What the decompressor throws is the one thing that has no type.
  return invalidContent("the body", type === "" ? "compressed as its Content-Encoding says" : "JSON");
}
