import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The path of a request without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Whether a request asks for WebSocket and not for another protocol. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** Answers a WebSocket upgrade with an HTTP status and `{code, message}`, and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number, code: string, message: string): void {
  const body = JSON.stringify({ code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  // The client may have gone away.
  socket.on("error", () => undefined);
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * Answers a request that asks for another protocol than WebSocket (HTTP/2: Java's client does so with every request) as
 * if it had not asked, which HTTP allows. Needed because Node hands over all such requests as soon as anybody listens
 * for upgrades. Node does not read their body, so one that has a body is refused.
 */
export function answerPlainly(server: Server, request: IncomingMessage, socket: Duplex): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined || Number(length ?? 0) > 0) {
    refuseUpgrade(socket, 400, "InvalidContent", "a request with a body must not ask for an upgrade");
    return;
  }
  // Node no longer listens for errors of a socket that it handed over.
  socket.on("error", () => undefined);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  server.emit("request", request, response);
}
