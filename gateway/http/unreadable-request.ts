import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { refuseUpgrade } from "./refuse-upgrade.js";

/** Time that an answer may take before a client that has ended its side is checked, in ms. */
const HALF_CLOSED_GRACE_MS = 100;

/** What Node keeps of the answer that is under way on a socket; its type declarations lack it. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers what Node would answer without a body, or not at all, with the body that all errors have: requests that its
 * parser gives up or that come too slowly, CONNECT, and expectations, which go to `app`.
 */
export function answerUnreadableRequests(server: Server, app: RequestListener): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex & Answering) => {
    const { _httpMessage: answering } = socket;
    // The answer under way may be to this request, of which a part is missing, or to an earlier one.
    const isOfEarlier = answering != null && (answering.headersSent || answering.req.complete);
    if (error.code === "ECONNRESET" || !socket.writable || isOfEarlier) socket.destroy(error);
    else refuseUpgrade(socket, describe(error));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    refuseUpgrade(socket, new ApiError("MethodNotAllowed", "CONNECT is not allowed: this is no proxy"));
  });
  server.on("checkExpectation", app);
}

/**
 * Answers clients that end their side of the connection after the request. Those that have gone altogether look the same
 * until something is written, so an answer that takes a while is announced by `102 Processing`, which they reject.
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
    return new ApiError("RequestHeaderFieldsTooLarge", "the URL and the headers are larger than this server takes");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("RequestTimeout", "the request did not come in time");
  return invalidContent("the request", "one of HTTP/1.1");
}
