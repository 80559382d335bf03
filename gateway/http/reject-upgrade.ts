import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocketServer } from "ws";
import { type ApiError, errorCodes, invalidContent } from "../../schema/errors/errors.js";

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
