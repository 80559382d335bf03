import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** Duration of a response after which a half-closed client is checked, in ms. */
const HALF_CLOSED_GRACE_MS = 100;

/** Node's reference to the current response of a socket; its type declarations lack it. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers what Node would answer without a body, or not at all, with the body that all errors have: requests that its
 * parser rejects or that arrive too slowly, CONNECT, and expectations, which are passed to `app`.
 */
export function answerUnreadableRequests(server: Server, app: RequestListener): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex & Answering) => {
    const { _httpMessage: answering } = socket;
    // The current response may belong to this request, of which a part is missing, or to an earlier one.
    const isOfEarlier = answering != null && (answering.headersSent || answering.req.complete);
    if (error.code === "ECONNRESET" || !socket.writable || isOfEarlier) socket.destroy(error);
    else rejectUpgrade(socket, describe(error));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    rejectUpgrade(socket, new ApiError("MethodNotAllowed", "CONNECT is not allowed: this is not a proxy"));
  });
  server.on("checkExpectation", app);
}

/**
 * Answers clients that half-close the connection after the request. A client that has disconnected looks the same
 * until something is written, so a slow response is announced by `102 Processing`, to which a closed client responds
 * with a reset.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  const follow = (socket: Duplex & Answering): void => {
    socket.once("end", () => {
      if (socket._httpMessage == null) return;
      setTimeout(() => {
        const { _httpMessage: answering } = socket;
        if (answering && !answering.headersSent && answering.req.httpVersion === "1.1") answering.writeProcessing();
      }, HALF_CLOSED_GRACE_MS).unref();
    });
  };
  server.on("connection", follow);
  server.on("secureConnection", follow);
}

function describe({ code }: NodeJS.ErrnoException): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("RequestHeaderFieldsTooLarge", "the URL and the headers exceed the size limit of this server");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("RequestTimeout", "the request did not arrive in time");
  return invalidContent("the request", "valid HTTP/1.1");
}
