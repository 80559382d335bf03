import type { StoredEvent } from "../../database/queries/events.js";

/** The same text for the same topic: a channel, or a channel and an address. */
export function keyOf(channel: string, address?: Buffer): string {
  return address ? `${channel}/${address.toString("hex")}` : channel;
}

/**
 * An event as the reader of a process has read it. What is made of it is made once, and shared by all consumers,
 * connections and transports.
 */
export class PublishedEvent {
  readonly sequence: number;
  readonly channel: StoredEvent["channel"];
  readonly height: number;
  /** JSON text. */
  readonly data: string;
  /** Keys of the topics that it belongs to. */
  readonly keys: ReadonlySet<string>;
  #bytes: Buffer | undefined;
  #quoted: Buffer | undefined;
  readonly #forms = new Map<unknown, unknown>();

  constructor({ sequence, channel, height, addresses, data }: StoredEvent) {
    this.sequence = sequence;
    this.channel = channel;
    this.height = height;
    this.data = data;
    this.keys = new Set([channel, ...addresses.map((address) => keyOf(channel, address))]);
  }

  /** About the memory that it takes, in bytes. */
  get size(): number {
    return this.data.length + KEY_BYTES * this.keys.size;
  }

  /** The data in UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.data);
    return this.#bytes;
  }

  /** The data as a JSON string in UTF-8, with its quotes. */
  get quoted(): Buffer {
    this.#quoted ??= Buffer.from(JSON.stringify(this.data));
    return this.#quoted;
  }

  /** What a transport makes of it: made once for each function. */
  form<Form>(make: (event: PublishedEvent) => Form): Form {
    const known = this.#forms.get(make);
    if (known !== undefined) return known as Form;
    const form = make(this);
    this.#forms.set(make, form);
    return form;
  }

  /** The value of the data, for results that are written as a whole. */
  toJSON(): unknown {
    return JSON.parse(this.data);
  }
}

const KEY_BYTES = 128;
