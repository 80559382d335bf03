import { IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { invalidContent } from "../../schema/services/errors.js";
import { refuseUpgrade } from "./refuse-upgrade.js";

/** Timeout for receiving the body and sending the response, in ms: Node no longer supervises the socket. */
const TIMEOUT_MS = 30_000;

/**
 * Answers a request to upgrade to a protocol other than WebSocket (HTTP/2: Java's client requests it every time) as
 * if it had no upgrade, which HTTP allows. Needed because Node emits all such requests as upgrades when there is a
 * listener, and does not read their bodies. One without a known length is rejected.
 * @param head bytes already received after the headers
 */
export function answerPlainly(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined) {
    refuseUpgrade(socket, invalidContent("the body of a request that asks for an upgrade", "sent with Content-Length"));
    return;
  }
  // Node no longer handles errors of a socket of an upgrade.
  socket.on("error", () => undefined);
  const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
  socket.once("close", () => clearTimeout(timer));
  const asked = withoutEnd(request, socket);
  const response = new ServerResponse(asked);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  feedBody(asked, socket, head, Number(length));
  server.emit("request", asked, response);
}

/** The same request, whose body is still to come: Node has ended the original. */
function withoutEnd(request: IncomingMessage, socket: Duplex): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const fields = { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor };
  return Object.assign(new IncomingMessage(socket as Socket), fields);
}

/** Feeds a request with the bytes of its body as they arrive, no faster than they are read. */
function feedBody(request: IncomingMessage, socket: Duplex, head: Buffer, length: number): void {
  let missing = length;
  const feed = (chunk: Buffer): void => {
    const own = chunk.subarray(0, missing);
    missing -= own.length;
    // Reading resumes the socket.
    if (own.length > 0 && !request.push(own)) socket.pause();
    if (missing > 0) return;
    socket.off("data", feed);
    request.complete = true;
    request.push(null);
  };
  socket.once("close", () => {
    if (missing > 0) request.destroy(new Error("aborted"));
  });
  if (missing > 0) socket.on("data", feed);
  feed(head);
}
