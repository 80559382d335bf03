/** The data of an event as JSON text. Its bytes are created once, and shared by all results that contain them. */
export class EventText {
  readonly text: string;
  #bytes: Buffer | undefined;
  #quoted: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The text in UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }

  /** The text as a JSON string in UTF-8, with its quotes. */
  get quoted(): Buffer {
    this.#quoted ??= Buffer.from(JSON.stringify(this.text));
    return this.#quoted;
  }

  /** The value, for results that are written as a whole. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** An event as subscriptions yield it. */
export interface SourceEvent {
  /** JSON text. */
  readonly data: string;
}

const texts = new WeakMap<SourceEvent, EventText>();

/** The text of an event, the same one each time. */
export function eventTextOf(event: SourceEvent): EventText {
  const known = texts.get(event);
  if (known) return known;
  const text = new EventText(event.data);
  texts.set(event, text);
  return text;
}
