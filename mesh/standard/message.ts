import { hex } from "../../catapult/entity/hex.js";
import { invalidMember } from "./errors.js";

/** The first byte of a message that is a plain text. */
const PLAIN = 0;
/** Of a message with its first byte: the limit of the public networks. */
const MAX_MESSAGE_BYTES = 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A message in the metadata of an operation: a plain text, or any bytes as hex digits. */
export interface MessageMetadata {
  readonly message?: string | undefined;
  readonly message_hex?: string | undefined;
}

/**
 * The bytes of a message as in a transfer; empty without one.
 * @param member name of the metadata in the request
 * @throws MeshError invalidRequest
 */
export function messageBytes({ message, message_hex: digits }: MessageMetadata, member: string): Buffer {
  if (message !== undefined && digits !== undefined)
    throw invalidMember(member, "has message and message_hex: a transfer has one message");
  const bytes = digits === undefined ? plainBytes(message, member) : hexBytes(digits, member);
  if (bytes.length <= MAX_MESSAGE_BYTES) return bytes;
  throw invalidMember(member, `has a message of ${bytes.length} bytes, the maximum is ${MAX_MESSAGE_BYTES}`);
}

function plainBytes(message: string | undefined, member: string): Buffer {
  if (message === undefined) return Buffer.alloc(0);
  const text = Buffer.from(message, "utf8");
  // An unpaired surrogate has no UTF-8 form, and is replaced.
  if (text.toString("utf8") !== message) throw invalidMember(`${member}.message`, "must be valid Unicode");
  return Buffer.concat([Buffer.of(PLAIN), text]);
}

function hexBytes(digits: string, member: string): Buffer {
  if (/^([0-9A-Fa-f]{2})+$/.test(digits)) return Buffer.from(digits, "hex");
  throw invalidMember(`${member}.message_hex`, "must be hex digits, two for each byte, at least one byte");
}

/** The metadata of a message (empty without one): a text if it is plain and valid UTF-8, otherwise hex digits. */
export function messageMetadata(bytes: Buffer): MessageMetadata {
  if (bytes.length === 0) return {};
  if (bytes[0] !== PLAIN) return { message_hex: hex(bytes) };
  try {
    return { message: utf8.decode(bytes.subarray(1)) };
  } catch {
    return { message_hex: hex(bytes) };
  }
}
