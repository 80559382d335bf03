import { invalidArgument, invalidContent } from "../../schema/services/errors.js";

/** What a client asks for. */
export interface ClientRequest {
  readonly action: "subscribe" | "unsubscribe";
  /** As the client wrote it. */
  readonly topic: string;
  /** Sequence of the first event that is wanted; without it, what happens from now on. */
  readonly from?: number | undefined;
}

/** A message after which the connection cannot go on; the message is the close reason. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/**
 * Reads `{uid, subscribe}`, with `from` perhaps, or `{uid, unsubscribe}`. Other members are left alone.
 * @param text the message
 * @param uid what the connection was given
 * @throws ProtocolViolation when it is no JSON object or has not the connection's uid
 * @throws ApiError when it does not say what is wanted
 */
export function parseRequest(text: string, uid: string): ClientRequest {
  const request = parseObject(text);
  if (request.uid !== uid) throw new ProtocolViolation("The uid is not the one that this connection was given");
  const { subscribe, unsubscribe, from } = request;
  if (subscribe !== undefined && unsubscribe !== undefined) {
    throw invalidArgument("give subscribe or unsubscribe, not both");
  }
  if (subscribe !== undefined) {
    return { action: "subscribe", topic: requireText("subscribe", subscribe), from: readSequence(from) };
  }
  if (unsubscribe !== undefined) return { action: "unsubscribe", topic: requireText("unsubscribe", unsubscribe) };
  throw invalidArgument("subscribe or unsubscribe is missing: give the channel's name");
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolViolation("The message is no JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ProtocolViolation("The message is no JSON object");
  }
  return value as Record<string, unknown>;
}

function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalidContent(name, "text, the name of a channel");
}

/** A number, or its decimal digits: other messages have large numbers as text. */
function readSequence(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= 0) return number as number;
  throw invalidContent("from", "the sequence of an event, an integer from 0 to 2^53 - 1");
}
