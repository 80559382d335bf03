/** A value of a parameter. */
export type ReadValue = number | bigint | string | boolean | Buffer | null | readonly (number | bigint | Buffer)[];

/** Runs the portal without a name to its end, and ends the read. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const BIND = 0x42;
const BINARY = 1;
/** Of the code and the length. */
const HEADER_SIZE = 5;
/** Of both counts, and of the one format of all results. */
const COUNTS_SIZE = 8;
const FORMAT_SIZE = 2;
const LENGTH_SIZE = 4;

/**
 * The messages that run a prepared statement with these values, and request all results in the binary format. Buffers
 * are sent as they are, other values as text.
 * @param name of the statement, ASCII
 */
export function bindMessage(name: string, values: readonly ReadValue[]): Buffer {
  const forms = values.map(formOf);
  let size = HEADER_SIZE + 1 + name.length + 1 + COUNTS_SIZE + values.length * (FORMAT_SIZE + LENGTH_SIZE);
  for (const form of forms) size += form === null ? 0 : Buffer.byteLength(form);
  const message = Buffer.allocUnsafe(size + EXECUTE_AND_SYNC.length);
  message[0] = BIND;
  message.writeInt32BE(size - 1, 1);
  // The portal has no name.
  message[HEADER_SIZE] = 0;
  let at = HEADER_SIZE + 1 + message.write(name, HEADER_SIZE + 1, "latin1");
  message[at++] = 0;
  at = message.writeInt16BE(values.length, at);
  for (const form of forms) at = message.writeInt16BE(typeof form === "object" && form ? BINARY : 0, at);
  at = message.writeInt16BE(values.length, at);
  for (const form of forms) at = writeValue(message, at, form);
  at = message.writeInt16BE(1, at);
  at = message.writeInt16BE(BINARY, at);
  EXECUTE_AND_SYNC.copy(message, at);
  return message;
}

function writeValue(message: Buffer, at: number, form: string | Buffer | null): number {
  if (form === null) return message.writeInt32BE(-1, at);
  const start = at + LENGTH_SIZE;
  const size = typeof form === "string" ? message.write(form, start) : form.copy(message, start);
  message.writeInt32BE(size, at);
  return start + size;
}

function formOf(value: ReadValue): string | Buffer | null {
  if (value === null || typeof value === "string" || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? `{${value.map(itemText).join(",")}}` : String(value);
}

function itemText(item: number | bigint | Buffer): string {
  return Buffer.isBuffer(item) ? `"\\\\x${item.toString("hex")}"` : String(item);
}
