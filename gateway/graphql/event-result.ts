import type { ExecutionResult } from "graphql";
import { PublishedEvent } from "../../schema/feed/published-event.js";

/** Up to this size the data of an event is copied into each result: cheaper than a part of its own, in bytes. */
const SMALL_BYTES = 512;

/**
 * The result of a subscription for one event as JSON in parts. The bytes of a large event are shared by all results, so
 * a result takes little memory of its own, however often it contains them.
 */
export class EventResult implements ExecutionResult {
  /** The data, in {@link parts} only. */
  declare readonly data?: null;
  readonly parts: readonly Buffer[];
  /** Size of the parts that are not shared. */
  readonly ownBytes: number;

  /** For yoga, which writes a result by this function if it has one. */
  readonly stringify = joinText;

  constructor(parts: readonly Buffer[], ownBytes: number) {
    this.parts = parts;
    this.ownBytes = ownBytes;
  }
}

function joinText({ parts }: EventResult): string {
  return Buffer.concat(parts).toString();
}

/** Writes a result of an event. */
export function eventResult(result: object, event: PublishedEvent): EventResult {
  const writer = new PartsWriter(event);
  writer.write(result);
  return writer.end();
}

class PartsWriter {
  readonly #event: PublishedEvent;
  readonly #parts: Buffer[] = [];
  #text = "";
  #ownBytes = 0;

  constructor(event: PublishedEvent) {
    this.#event = event;
  }

  write(value: unknown): void {
    if (value instanceof PublishedEvent) this.#writeShared(value.bytes);
    else if (value === this.#event.data) this.#writeShared(this.#event.quoted);
    else if (Array.isArray(value)) this.#writeAll("[", value, "]", (entry) => this.write(entry ?? null));
    else if (isPlain(value)) {
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      this.#writeAll("{", fields, "}", ([name, field]) => {
        this.#text += `${JSON.stringify(name)}:`;
        this.write(field);
      });
    } else this.#text += JSON.stringify(value) ?? "null";
  }

  end(): EventResult {
    this.#flush();
    return new EventResult(this.#parts, this.#ownBytes);
  }

  #writeShared(bytes: Buffer): void {
    if (bytes.length <= SMALL_BYTES) {
      this.#text += bytes.toString();
      return;
    }
    this.#flush();
    this.#parts.push(bytes);
  }

  #writeAll<Entry>(start: string, entries: readonly Entry[], end: string, write: (entry: Entry) => void): void {
    this.#text += start;
    entries.forEach((entry, index) => {
      if (index > 0) this.#text += ",";
      write(entry);
    });
    this.#text += end;
  }

  #flush(): void {
    if (this.#text === "") return;
    const part = Buffer.from(this.#text);
    this.#parts.push(part);
    this.#ownBytes += part.length;
    this.#text = "";
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value);
}
