import { IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError, invalidContent } from "../../schema/services/errors.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** Within which the answer must have gone after the body came, in ms: Node no longer looks after the socket. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * Answers a request that asks for another protocol than WebSocket (HTTP/2: Java's client does so with every request) as
 * if it had not asked, which HTTP allows. Needed because Node hands over all such requests as soon as anybody listens
 * for upgrades (before the versions that ask {@link webSocketsOnly}), and does not read their bodies. One whose length is
 * not told is refused, and one that does not come within the server's `requestTimeout` gets 408.
 * @param head what came behind the headers already
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
  const tooSlow = new ApiError("RequestTimeout", "the request did not come in time");
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

/** Gives a request the bytes of its body as they come, no faster than they are read. @param onEnd called with the last */
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
