import { startedFrame } from "../http/text-frame.js";

/** Up to this size a message is copied into one frame, in bytes: cheaper than writing it in two parts. */
const SMALL_BYTES = 16 * 1024;

/**
 * An event in its transmitted form. Its bytes are created once, and shared by the messages of all topics and
 * connections: for a large event, a message adds only its first bytes, which name the topic.
 */
export class RenderedEvent {
  readonly sequence: number;
  readonly #ending: Buffer;
  /** The last frame of a small event: most connections spell the topic in the same way. */
  #frame: { readonly topic: string; readonly parts: readonly Buffer[] } | undefined;

  /** @param data JSON text */
  constructor(sequence: number, data: string) {
    this.sequence = sequence;
    this.#ending = Buffer.from(`${data},"sequence":${sequence}}`);
  }

  /** Size of the shared bytes. */
  get size(): number {
    return this.#ending.length;
  }

  get isSmall(): boolean {
    return this.size <= SMALL_BYTES;
  }

  /** The frame of the message of a topic, in consecutive parts. */
  frame(topic: string): readonly Buffer[] {
    if (this.#frame?.topic === topic) return this.#frame.parts;
    const start = startedFrame(`{"topic":${JSON.stringify(topic)},"data":`, this.size);
    if (!this.isSmall) return [start, this.#ending];
    this.#frame = { topic, parts: [Buffer.concat([start, this.#ending])] };
    return this.#frame.parts;
  }
}
