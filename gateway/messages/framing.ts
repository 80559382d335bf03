/** How a protocol frames the JSON text of a message. */
export interface Framing {
  /**
   * The first bytes of a message.
   * @param start beginning of the text
   * @param rest number of bytes of the text that follow
   * @param sequence of the event
   */
  start(start: string, rest: number, sequence: number): Buffer;
  /** The bytes after the text. */
  readonly end: Buffer;
}
