/*
 * A few instructions of WebAssembly, each as its bytes, and modules of functions that have a memory and take numbers of
 * 32 bits. Source: the WebAssembly core specification, "Binary Format".
 */

export type Code = readonly number[];

const TYPE_I32 = 0x7f;
const TYPE_I64 = 0x7e;
const FUNCTION_TYPE = 0x60;
const NO_RESULT = 0x40;
const SECTION = { type: 1, function: 3, memory: 5, export: 7, code: 10 } as const;
const EXPORTED = { function: 0, memory: 2 } as const;
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** Alignment of 4 bytes, as a power of 2. */
const ALIGNED_BY_4 = 2;

/** LEB128 of a number from 0. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a number with a sign. */
function signed(value: number): Code {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const int32 = (value: number): Code => [0x41, ...signed(value)];
export const int64 = (value: number): Code => [0x42, ...signed(value)];
export const subtract32 = (left: Code, right: Code): Code => [...left, ...right, 0x6b];
export const add = (left: Code, right: Code): Code => [...left, ...right, 0x7c];
export const subtract = (left: Code, right: Code): Code => [...left, ...right, 0x7d];
export const multiply = (left: Code, right: Code): Code => [...left, ...right, 0x7e];
export const shiftLeft = (value: Code, bits: number): Code => [...value, ...int64(bits), 0x86];
/** Keeps the sign. */
export const shiftRight = (value: Code, bits: number): Code => [...value, ...int64(bits), 0x87];
/** The 64-bit number of the 4 bytes at an address and an offset, with a sign. */
export const load = (address: Code, offset: number): Code => [...address, 0x34, ALIGNED_BY_4, ...unsigned(offset)];
/** Stores the lower 4 bytes of a 64-bit number. */
export const store = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  0x3e,
  ALIGNED_BY_4,
  ...unsigned(offset),
];
/** Repeats the body while the condition, a 32-bit number after it, is not 0. */
export const repeat = (body: Code, condition: Code): Code => [0x03, NO_RESULT, ...body, ...condition, 0x0d, 0x00, 0x0b];

/** A function without a result: its parameters are the first locals, then those of 64 bits. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly locals: number;
  readonly body: Code;
}

const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const sized = (bytes: Code): Code => [...unsigned(bytes.length), ...bytes];
const section = (id: number, items: readonly Code[]): Code => [id, ...sized(vector(items))];
const text = (name: string): Code => sized([...Buffer.from(name)]);

/** The bytes of a module with these functions and `memory`, 64 kB. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array {
  const typeOf = ({ parameters }: WasmFunction) => [
    FUNCTION_TYPE,
    ...vector(Array.from({ length: parameters }, () => [TYPE_I32])),
    0,
  ];
  const codeOf = ({ locals, body }: WasmFunction) =>
    sized([...vector([[...unsigned(locals), TYPE_I64]]), ...body, 0x0b]);
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(SECTION.type, functions.map(typeOf)),
    ...section(
      SECTION.function,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(SECTION.memory, [[0, 1]]),
    ...section(SECTION.export, [
      [...text("memory"), EXPORTED.memory, 0],
      ...functions.map(({ name }, index) => [...text(name), EXPORTED.function, ...unsigned(index)]),
    ]),
    ...section(SECTION.code, functions.map(codeOf)),
  ]);
}
