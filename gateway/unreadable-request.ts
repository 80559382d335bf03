import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../schema/errors.js";
import { refuseUpgrade } from "./websocket/refuse-upgrade.js";

/** Answers requests that Node's HTTP parser gives up, which no route ever sees, with the body that all errors have. */
export function answerUnreadableRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isAnswering = "_httpMessage" in socket && socket._httpMessage != null;
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering) socket.destroy(error);
    else refuseUpgrade(socket, describe(error));
  });
}

function describe({ code }: NodeJS.ErrnoException): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("RequestHeaderFieldsTooLarge", "the URL and the headers are larger than this server takes");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("RequestTimeout", "the request did not come in time");
  return invalidContent("the request", "one of HTTP/1.1");
}
