/** JSON text that is created when it is needed: REST sends its bytes; as part of a GraphQL response it is a string. */
export class JsonText {
  readonly #create: (before: string, after: string) => Buffer;

  /** @param create returns UTF-8, between two texts */
  constructor(create: (before: string, after: string) => Buffer) {
    this.#create = create;
  }

  /** UTF-8, between two texts: a large body is then never copied. */
  between(before: string, after: string): Buffer {
    return this.#create(before, after);
  }

  toJSON(): string {
    return this.#create("", "").toString();
  }
}
