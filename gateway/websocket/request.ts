import { invalidArgument, invalidContent } from "../../schema/errors/errors.js";
import { optional } from "../../schema/graph/arguments.js";

/** A client's request. */
export interface ClientRequest {
  readonly action: "subscribe" | "unsubscribe";
  /** The topic as the client spelled it. */
  readonly topic: string;
  /** Sequence of the first wanted event; without it, live events only. */
  readonly from?: number | undefined;
}

/** A message that ends the connection; the message of the error is the close reason. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/**
 * Parses `{uid, subscribe}`, optionally with `from`, or `{uid, unsubscribe}`. Other members are ignored.
 * @param request the message, of {@link parseObject}
 * @param uid the connection's uid
 * @throws ProtocolViolation when it lacks the connection's uid
 * @throws ApiError when the request is invalid
 */
export function parseRequest(request: Readonly<Record<string, unknown>>, uid: string): ClientRequest {
  if (request.uid !== uid) throw new ProtocolViolation("The uid is not that of this connection");
  const [subscribe, unsubscribe, from] = [request.subscribe, request.unsubscribe, request.from].map(optional);
  if (subscribe !== undefined && unsubscribe !== undefined) {
    throw invalidArgument("send subscribe or unsubscribe, not both");
  }
  if (subscribe !== undefined) {
    return { action: "subscribe", topic: requireText("subscribe", subscribe), from: readSequence(from) };
  }
  if (unsubscribe !== undefined) return { action: "unsubscribe", topic: requireText("unsubscribe", unsubscribe) };
  throw invalidArgument("subscribe or unsubscribe is missing: send the name of a channel");
}

/** @throws ProtocolViolation when the text is not a JSON object */
export function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation("The message is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ProtocolViolation("The message is not a JSON object");
  }
  return value as Record<string, unknown>;
}

function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalidContent(name, "a string, the name of a channel");
}

/** A number, or its decimal digits: other messages have large numbers as strings. */
function readSequence(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === "string" && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= 0) return number as number;
  throw invalidContent("from", "the sequence of an event, an integer from 0 to 2^53 - 1");
}
