import {
  add,
  type Code,
  get,
  int32,
  int64,
  load,
  multiply,
  repeat,
  set,
  shiftLeft,
  shiftRight,
  store,
  subtract,
  subtract32,
  wasmModule,
} from "./wasm-code.js";

/*
 * The field of Curve25519: numbers modulo 2^255 - 19, in WebAssembly, because a product of `bigint`s takes three times as
 * long. A number has ten digits with a sign, in turns of 26 and 25 bits. Source of the form and its bounds: D. J.
 * Bernstein et al., "High-speed high-security signatures", and the public-domain implementation `ref10`.
 *
 * Digits after a product are at most 1.01 * 2^25 and 2^24. Factors may have four times that: sums and differences of up
 * to four products. Sums of ten terms are below 2^61 then.
 */

const DIGITS = 10;
const DIGIT_BYTES = 4;
const NUMBER_BYTES = DIGITS * DIGIT_BYTES;
export const FIELD_BYTES = 32;

const bitsOf = (digit: number) => (digit % 2 === 0 ? 26 : 25);
const digits = Array.from({ length: DIGITS }, (_, digit) => digit);

interface Wasm {
  readonly memory: { readonly buffer: ArrayBuffer };
  multiply(to: number, left: number, right: number): void;
  squareTimes(to: number, value: number, times: number): void;
}
/** Absent from the type definitions of Node. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Sets the locals from `to` on to the digits of a product, of which each term is given, and carries. */
function product(to: number, carry: number, terms: (digit: number) => readonly Code[]): Code {
  const sums = digits.flatMap((digit) => set(to + digit, terms(digit).reduce(add)));
  return [...sums, ...[0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 9, 0].flatMap((digit) => carryFrom(to, carry, digit))];
}

/** Rounds a digit to its bits, and adds what is above to the next one; above the last one are multiples of 2^255, 19. */
function carryFrom(to: number, carry: number, digit: number): Code {
  const bits = bitsOf(digit);
  const local = to + digit;
  const next = to + ((digit + 1) % DIGITS);
  const above = digit === DIGITS - 1 ? multiply(get(carry), int64(19)) : get(carry);
  return [
    ...set(carry, shiftRight(add(get(local), int64(2 ** (bits - 1))), bits)),
    ...set(next, add(get(next), above)),
    ...set(local, subtract(get(local), shiftLeft(get(carry), bits))),
  ];
}

/** Two digits of 25 bits have a bit less together than the digit of their sum. */
const isDoubled = (i: number, j: number) => i % 2 === 1 && j % 2 === 1;

function multiplyCode(): Code {
  const [to, left, right] = [0, 1, 2];
  const [f, g, g19, h, carry] = [3, 13, 23, 33, 43];
  const f2 = 44;
  const read = digits.flatMap((i) => [
    ...set(f + i, load(get(left), i * DIGIT_BYTES)),
    ...set(g + i, load(get(right), i * DIGIT_BYTES)),
    ...set(g19 + i, multiply(get(g + i), int64(19))),
    ...set(f2 + i, shiftLeft(get(f + i), 1)),
  ]);
  const terms = (digit: number) =>
    digits.map((i) => {
      const j = (digit - i + DIGITS) % DIGITS;
      return multiply(get((isDoubled(i, j) ? f2 : f) + i), get((i + j >= DIGITS ? g19 : g) + j));
    });
  const write = digits.flatMap((i) => store(get(to), i * DIGIT_BYTES, get(h + i)));
  return [...read, ...product(h, carry, terms), ...write];
}

function squareTimesCode(): Code {
  const [to, value, times] = [0, 1, 2];
  const [f, f2, f19, f38, h, carry] = [3, 13, 23, 33, 43, 53];
  const multiples = digits.flatMap((i) => [
    ...set(f2 + i, shiftLeft(get(f + i), 1)),
    ...set(f19 + i, multiply(get(f + i), int64(19))),
    ...set(f38 + i, shiftLeft(get(f19 + i), 1)),
  ]);
  const terms = (digit: number) =>
    digits.flatMap((i) => {
      const j = (digit - i + DIGITS) % DIGITS;
      // Each pair occurs once, and counts twice.
      if (i > j) return [];
      const isOver = i + j >= DIGITS;
      const second = isDoubled(i, j) ? (isOver ? f38 : f2) : isOver ? f19 : f;
      return [multiply(get((i < j ? f2 : f) + i), get(second + j))];
    });
  const result = digits.flatMap((i) => set(f + i, get(h + i)));
  const countDown = [...subtract32(get(times), int32(1)), 0x22, times];
  return [
    ...digits.flatMap((i) => set(f + i, load(get(value), i * DIGIT_BYTES))),
    ...repeat([...multiples, ...product(h, carry, terms), ...result], countDown),
    ...digits.flatMap((i) => store(get(to), i * DIGIT_BYTES, get(f + i))),
  ];
}

const wasm = new WebAssembly.Instance(
  new WebAssembly.Module(
    wasmModule([
      { name: "multiply", parameters: 3, locals: 51, body: multiplyCode() },
      { name: "squareTimes", parameters: 3, locals: 51, body: squareTimesCode() },
    ]),
  ),
).exports as Wasm;

const memory = new Int32Array(wasm.memory.buffer);
let numbers = 0;

/** A number of the field: its place in memory. It is a variable, written by the operations here. */
export class FieldNumber {
  readonly #at = NUMBER_BYTES * numbers++;

  /** A number from 0 to 2^255 - 1. */
  static of(value: bigint): FieldNumber {
    const number = new FieldNumber();
    number.read(Buffer.from(value.toString(16).padStart(2 * FIELD_BYTES, "0"), "hex").reverse());
    return number;
  }

  /** Sets it to 32 bytes, little-endian, without the highest bit. */
  read(bytes: Uint8Array): this {
    let [bits, size, next] = [0, 0, 0];
    const start = this.#at / DIGIT_BYTES;
    for (let digit = 0; digit < DIGITS; digit++) {
      const wanted = bitsOf(digit);
      // At most 25 + 8 bits at a time: more than the operators on integers have.
      while (size < wanted) {
        bits += (bytes[next] as number) * 2 ** size;
        next += 1;
        size += 8;
      }
      const range = 2 ** wanted;
      memory[start + digit] = bits % range;
      bits = Math.floor(bits / range);
      size -= wanted;
    }
    return this;
  }

  /** The 32 bytes of the number from 0 to 2^255 - 20, little-endian. */
  bytes(): Buffer {
    let carry = 19 * this.#quotient();
    let digit = this.#at / DIGIT_BYTES;
    const bytes = Buffer.allocUnsafe(FIELD_BYTES);
    let [bits, size, next] = [0, 0, 0];
    for (let width = 26; next < FIELD_BYTES; width = 51 - width) {
      const whole = (memory[digit] as number) + carry;
      carry = whole >> width;
      const value = whole & ((1 << width) - 1);
      // What is left of the digit before has at most 7 bits: together these are more than an integer has.
      bytes[next] = bits | (value << size);
      next += 1;
      for (bits = value >> (8 - size), size += width - 8; size >= 8; size -= 8) {
        bytes[next] = bits;
        next += 1;
        bits >>= 8;
      }
      if (next === FIELD_BYTES - 1) break;
      digit += 1;
    }
    bytes[FIELD_BYTES - 1] = bits;
    return bytes;
  }

  /** Whether the number from 0 to 2^255 - 20 is odd. */
  isOdd(): boolean {
    return (((memory[this.#at / DIGIT_BYTES] as number) + this.#quotient()) & 1) === 1;
  }

  /** How many times the modulus has to be subtracted, so that the number is from 0 to 2^255 - 20. */
  #quotient(): number {
    const start = this.#at / DIGIT_BYTES;
    let quotient = (19 * (memory[start + DIGITS - 1] as number) + 2 ** 24) >> 25;
    for (let digit = 0; digit < DIGITS; digit += 2) {
      quotient = ((memory[start + digit] as number) + quotient) >> 26;
      quotient = ((memory[start + digit + 1] as number) + quotient) >> 25;
    }
    return quotient;
  }

  set(value: FieldNumber): this {
    memory.copyWithin(this.#at / DIGIT_BYTES, value.#at / DIGIT_BYTES, (value.#at + NUMBER_BYTES) / DIGIT_BYTES);
    return this;
  }

  /** Sets it to a product, like the following to what they are named after. Operands may be the number itself. */
  product(left: FieldNumber, right: FieldNumber): this {
    wasm.multiply(this.#at, left.#at, right.#at);
    return this;
  }

  square(value: FieldNumber, times = 1): this {
    wasm.squareTimes(this.#at, value.#at, times);
    return this;
  }

  sum(left: FieldNumber, right: FieldNumber): this {
    const [to, a, b] = [this.#at / DIGIT_BYTES, left.#at / DIGIT_BYTES, right.#at / DIGIT_BYTES];
    for (let digit = 0; digit < DIGITS; digit++) {
      memory[to + digit] = (memory[a + digit] as number) + (memory[b + digit] as number);
    }
    return this;
  }

  difference(left: FieldNumber, right: FieldNumber): this {
    const [to, a, b] = [this.#at / DIGIT_BYTES, left.#at / DIGIT_BYTES, right.#at / DIGIT_BYTES];
    for (let digit = 0; digit < DIGITS; digit++) {
      memory[to + digit] = (memory[a + digit] as number) - (memory[b + digit] as number);
    }
    return this;
  }
}
