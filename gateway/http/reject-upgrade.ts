import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocketServer } from "ws";
import { ApiError, errorCodes, invalidContent } from "../../schema/services/errors.js";
import { knownConnection } from "./exchange.js";

/**
 * Answers a WebSocket upgrade, or an unreadable request, with the HTTP status of an error and `{code, message}`, and
 * closes the connection.
 */
export function rejectUpgrade(socket: Duplex, { code, message }: ApiError): void {
  const { status } = errorCodes[code];
  const body = JSON.stringify({ code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    "Cache-Control: no-store",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  // The client may have disconnected.
  socket.on("error", () => undefined);
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Answers invalid handshakes with the body that all errors have. */
export function rejectBadHandshakes(server: WebSocketServer): void {
  server.on("wsClientError", (error, socket) => {
    rejectUpgrade(socket, invalidContent("the request", `a WebSocket handshake (${error.message})`));
  });
}

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
