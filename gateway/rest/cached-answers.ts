import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Turn } from "../clients/request-turns.js";
import { isAmong } from "../http/entity-tag.js";
import type { CachedAnswer } from "../http/response-cache.js";
import { addHeader } from "../http/response-head.js";
import { sendCached, sendNotModified } from "../http/send.js";

/**
 * Larger responses take a turn although nothing is read for them, in bytes: over TLS, each that is sent to a client that does not
 * read it is copied as a whole.
 */
const SMALL_BYTES = 65_536;

/** Longer lists of tags and encodings take a while to parse, in characters. */
const SHORT_LISTS = 500;

function hasShortLists({
  "if-none-match": tags = "",
  "accept-encoding": encodings = "",
}: IncomingHttpHeaders): boolean {
  return tags.length + encodings.length <= SHORT_LISTS;
}

/** The turn of a request that may be answered without reading anything but the head, which many requests share. */
export function turnForTag({ headers }: IncomingMessage, turn: Turn): Promise<void> | undefined {
  return hasShortLists(headers) ? turn.takeQuick() : turn.take();
}

/** The turn of a response that others share, by the length of its body. */
export function turnToSend(turn: Turn, length: number): Promise<void> | undefined {
  return length > SMALL_BYTES ? turn.take() : undefined;
}

/** Sends a cached response, which is that of the current head; 304 if the client has it. */
export function answerFromCache(
  request: IncomingMessage,
  response: ServerResponse,
  turn: Turn,
  cached: CachedAnswer,
): Promise<void> | undefined {
  const { "if-none-match": known } = request.headers;
  const { body, headers } = cached.answer;
  if (known !== undefined && (known.trim() === "*" || isAmong(headers.ETag ?? "", known))) {
    for (const name of ["Cache-Control", "ETag"]) {
      const value = headers[name];
      if (value !== undefined) addHeader(response, name, value);
    }
    sendNotModified(response);
    return undefined;
  }
  const waiting = turnToSend(turn, body.length);
  return waiting ? waiting.then(() => sendCached(request, response, cached)) : sendCached(request, response, cached);
}
