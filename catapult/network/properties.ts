import { decodeAddress } from "../entity/address.js";

/** Thrown when a property is missing or invalid; the message names section and property. */
export class PropertyError extends Error {
  override name = "PropertyError";
}

/** Values as texts, by section and name: the content of a file. */
export type SectionTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The content of one of catapult's `.properties` files: sections, and properties with their values as texts. */
export class Properties {
  readonly #sections = new Map<string, Map<string, string>>();

  /**
   * @param content the text of a file (sections in brackets, then `name = value` lines), or its parsed content
   * @throws PropertyError for an invalid line
   */
  constructor(content: string | SectionTexts) {
    if (typeof content === "string") this.#read(content);
    else {
      for (const [title, values] of Object.entries(content)) {
        this.#sections.set(title, new Map(Object.entries(values)));
      }
    }
  }

  #read(text: string): void {
    let entries = new Map<string, string>();
    for (const line of text.split(/\r?\n/)) {
      const trimmed = line.trim();
      if (!trimmed || trimmed.startsWith("#") || trimmed.startsWith(";")) continue;
      const title = /^\[(.+)\]$/.exec(trimmed)?.[1];
      if (title) {
        entries = new Map();
        this.#sections.set(title, entries);
        continue;
      }
      const separator = trimmed.indexOf("=");
      if (separator < 0) throw new PropertyError(`a line is neither a section nor a property: ${trimmed}`);
      entries.set(trimmed.slice(0, separator).trim(), trimmed.slice(separator + 1).trim());
    }
  }

  /** In the order of the file. */
  titles(): readonly string[] {
    return [...this.#sections.keys()];
  }

  /** The section with this title, or undefined. */
  find(title: string): Section | undefined {
    const entries = this.#sections.get(title);
    return entries && new Section(title, entries);
  }

  /** @throws PropertyError if there is no such section. */
  section(title: string): Section {
    const section = this.find(title);
    if (!section) throw new PropertyError(`section [${title}] is missing`);
    return section;
  }
}

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const MAX_BYTE = 255;
const NETWORK_IDENTIFIERS: ReadonlyMap<string, number> = new Map([
  ["mainnet", 0x68],
  ["testnet", 0x98],
  ["private", 0x78],
  ["private-test", 0xa8],
]);

/** The name of a network identifier byte in configuration files; its number if it has no name. */
export function networkName(identifier: number): string {
  return [...NETWORK_IDENTIFIERS].find(([, byte]) => byte === identifier)?.[0] ?? String(identifier);
}

/** The properties under one title. All methods throw a PropertyError when the value is missing or malformed. */
export class Section {
  readonly #title: string;
  readonly #entries: ReadonlyMap<string, string>;

  constructor(title: string, entries: ReadonlyMap<string, string>) {
    this.#title = title;
    this.#entries = entries;
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The names whose value is `true`; all others must have `false`. */
  enabledNames(): readonly string[] {
    return this.names().filter((name) => this.boolean(name));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The unparsed value. */
  text(name: string): string {
    return this.#text(name);
  }

  /** An integer, decimal or with `0x`, digits grouped by apostrophes. */
  bigint(name: string): bigint {
    return this.#parseInteger(name, this.#text(name));
  }

  number(name: string): number {
    const value = Number(this.bigint(name));
    if (!Number.isSafeInteger(value)) throw this.#malformed(name, "a smaller number");
    return value;
  }

  /** Numbers separated by commas. */
  numbers(name: string): ReadonlySet<number> {
    const values = this.#list(name).map((text) => Number(this.#parseInteger(name, text)));
    return new Set(values);
  }

  /** Words separated by commas. */
  words(name: string): ReadonlySet<string> {
    return new Set(this.#list(name));
  }

  boolean(name: string): boolean {
    const text = this.#text(name);
    if (text !== "true" && text !== "false") throw this.#malformed(name, "true or false");
    return text === "true";
  }

  /** A time span such as `500ms`, `15s`, `6h`, in milliseconds. */
  milliseconds(name: string): number {
    const [, digits, unit] = /^([\d']+)(ms|[smhd])$/.exec(this.#text(name)) ?? [];
    if (!digits || !unit) throw this.#malformed(name, "a time span such as 500ms, 15s, 10m, 6h or 30d");
    return Number(digits.replaceAll("'", "")) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  }

  /** A time span as the number of blocks of `blockTime` ms that fit into it. */
  blocks(name: string, blockTime: number): bigint {
    return BigInt(Math.floor(this.milliseconds(name) / blockTime));
  }

  hex(name: string): Buffer {
    const text = this.#text(name);
    if (!/^([0-9A-Fa-f]{2})+$/.test(text)) throw this.#malformed(name, "hexadecimal digits");
    return Buffer.from(text, "hex");
  }

  /** The 24 bytes of a base32 address. */
  address(name: string): Buffer {
    const text = this.#text(name);
    try {
      return decodeAddress(text);
    } catch {
      throw this.#malformed(name, "an address of 39 base32 characters");
    }
  }

  /** A network by its name, or any by the number of its byte. */
  networkIdentifier(name: string): number {
    const text = this.#text(name);
    const identifier = NETWORK_IDENTIFIERS.get(text) ?? (/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
    if (!(identifier <= MAX_BYTE))
      throw this.#malformed(name, `${[...NETWORK_IDENTIFIERS.keys()].join(", ")} or a byte`);
    return identifier;
  }

  #list(name: string): readonly string[] {
    return this.#text(name)
      .split(",")
      .map((text) => text.trim())
      .filter((text) => text);
  }

  #parseInteger(name: string, text: string): bigint {
    const digits = text.replaceAll("'", "");
    if (!/^(\d+|0x[0-9A-Fa-f]+)$/.test(digits)) throw this.#malformed(name, "an integer");
    return BigInt(digits);
  }

  #text(name: string): string {
    const text = this.#entries.get(name);
    if (text === undefined) throw new PropertyError(`[${this.#title}] ${name} is missing`);
    return text;
  }

  #malformed(name: string, expected: string): PropertyError {
    return new PropertyError(`[${this.#title}] ${name}: expected ${expected}, not ${this.#entries.get(name)}`);
  }
}
