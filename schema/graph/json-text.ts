/** JSON as UTF-8 bytes: REST sends the bytes; as part of a GraphQL response it is a string. */
export class JsonText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toJSON(): string {
    return this.bytes.toString();
  }
}
