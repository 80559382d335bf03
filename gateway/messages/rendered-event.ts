import type { PublishedEvent } from "../../schema/feed/published-event.js";

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

/** Up to this size a message is copied into one buffer, in bytes: cheaper than writing it in parts. */
const SMALL_BYTES = 16 * 1024;
/** JSON text has these between its tokens only. */
const LINE_BREAKS = /[\r\n]+/g;

interface Framed {
  readonly topic: string;
  readonly parts: readonly Buffer[];
}

/**
 * An event in its transmitted form. Its bytes are created once, and shared by the messages of all topics and
 * connections: for a large event, a message adds only its first bytes, which name the topic.
 */
export class RenderedEvent {
  readonly sequence: number;
  readonly #ending: Buffer;
  /** The last message of a small event, by protocol: most connections spell the topic in the same way. */
  readonly #framed = new Map<Framing, Framed>();

  private constructor({ sequence, data }: PublishedEvent) {
    this.sequence = sequence;
    this.#ending = Buffer.from(`${data.replace(LINE_BREAKS, " ")},"sequence":${sequence}}`);
  }

  /** The same one each time. */
  static of(event: PublishedEvent): RenderedEvent {
    return event.form(RenderedEvent.#render);
  }

  static #render(event: PublishedEvent): RenderedEvent {
    return new RenderedEvent(event);
  }

  get isSmall(): boolean {
    return this.#ending.length <= SMALL_BYTES;
  }

  /** The message `{topic, data, sequence}` of a topic, on one line, in consecutive parts. */
  framed(topic: string, framing: Framing): readonly Buffer[] {
    const known = this.#framed.get(framing);
    if (known?.topic === topic) return known.parts;
    const start = framing.start(`{"topic":${JSON.stringify(topic)},"data":`, this.#ending.length, this.sequence);
    const parts = [start, this.#ending, ...(framing.end.length > 0 ? [framing.end] : [])];
    if (!this.isSmall) return parts;
    const framed = { topic, parts: [Buffer.concat(parts)] };
    this.#framed.set(framing, framed);
    return framed.parts;
  }
}
