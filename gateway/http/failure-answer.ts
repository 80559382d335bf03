import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { describeFailure } from "./errors.js";
import { requestIdOf } from "./requests.js";
import { removeHeaders } from "./response-head.js";
import { send } from "./send.js";

/** Answers a failed request; closes the connection if the answer has begun. */
export async function sendFailure(
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): Promise<void> {
  const { status, body } = describeFailure(error, requestIdOf(response), log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  removeHeaders(response, ["ETag", "Cache-Control"]);
  await send(request, response, status, body);
}
