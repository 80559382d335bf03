/** First byte of a frame that is a whole text message (RFC 6455, section 5.2). */
const TEXT = 0x81;
/** Longer lengths take two or eight more bytes, announced by these values. */
const SHORT = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** A text message from a server: created once, and written to any number of connections unchanged. */
export function textFrame(text: string): Buffer {
  return startedFrame(text, 0);
}

/** The first part of a text message: its text so far, after a header that announces `rest` more bytes. */
export function startedFrame(start: string, rest: number): Buffer {
  const startLength = Buffer.byteLength(start);
  const length = startLength + rest;
  const headerLength = length <= SHORT ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + startLength);
  frame[0] = TEXT;
  if (headerLength === 2) {
    frame[1] = length;
  } else if (headerLength === 4) {
    frame[1] = TWO_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(start, headerLength);
  return frame;
}
