import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../../schema/errors/errors.js";
import { knownConnection } from "./exchange.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/**
 * Answers requests that Node's parser rejects, or that arrive too slowly, with the body that all errors have: Node's own
 * answer has none. If an answer to an earlier request is due, the connection is closed instead.
 */
export function answerUnreadableRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const mayFail = knownConnection(socket)?.mayFail ?? true;
    if (error.code === "ECONNRESET" || !socket.writable || !mayFail) socket.destroy(error);
    else rejectUpgrade(socket, describe(error));
  });
}

function describe({ code }: NodeJS.ErrnoException): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("RequestHeaderFieldsTooLarge", "the URL and the headers exceed the size limit of this server");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("RequestTimeout", "the request did not arrive in time");
  return invalidContent("the request", "valid HTTP/1.1");
}
