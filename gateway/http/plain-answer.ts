import { IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** Timeout for sending the response after the body has arrived, in ms: Node no longer supervises the socket. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Answers a request to upgrade to a protocol other than WebSocket (HTTP/2: Java's client requests it every time) as
 * if it had no upgrade, which HTTP allows. Needed because Node emits all such requests as upgrades when there is a
 * listener (before the versions that call {@link webSocketsOnly}), and does not read their bodies. One without a
 * known length is rejected, and one that does not arrive within the server's `requestTimeout` gets 408.
 * @param head bytes already received after the headers
 */
export function answerPlainly(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  if (encoding !== undefined) {
    rejectUpgrade(socket, invalidContent("the body of a request that asks for an upgrade", "sent with Content-Length"));
    return;
  }
  // Node no longer handles errors of a socket of an upgrade.
  socket.on("error", () => undefined);
  const asked = withoutEnd(request, socket);
  const response = new ServerResponse(asked);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.on("finish", () => socket.end());
  const tooSlow = new ApiError("RequestTimeout", "the request did not arrive in time");
  const giveUp = () => (response.headersSent ? socket.destroy() : rejectUpgrade(socket, tooSlow));
  let timer = setTimeout(giveUp, server.requestTimeout);
  socket.once("close", () => clearTimeout(timer));
  feedBody(asked, socket, { head, length: Number(length) }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
  });
  server.emit("request", asked, response);
}

/** The same request, whose body is still to come: Node has ended the original. */
function withoutEnd(request: IncomingMessage, socket: Duplex): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const fields = { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor };
  return Object.assign(new IncomingMessage(socket as Socket), fields);
}

/**
 * Feeds a request with the bytes of its body as they arrive, no faster than they are read. @param onEnd called with
 * the last
 */
function feedBody(
  request: IncomingMessage,
  socket: Duplex,
  { head, length }: { readonly head: Buffer; readonly length: number },
  onEnd: () => void,
): void {
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
    onEnd();
  };
  socket.once("close", () => {
    if (missing > 0) request.destroy(new Error("aborted"));
  });
  if (missing > 0) socket.on("data", feed);
  feed(head);
}
