import { uint64 } from "./payload.js";

const BASE = 27n;
const FIRST_LETTER = "A".charCodeAt(0) - 1;

/** The response to a request for diagnostic counters: an identifier and a value, 8 bytes each. */
export function writeDiagnosticCounters(counters: readonly (readonly [name: string, value: number])[]): Buffer {
  return Buffer.concat(counters.map(([name, value]) => uint64(counterId(name), BigInt(Math.floor(value)))));
}

/** The number that encodes a name of capital letters and spaces (catapult `utils/DiagnosticCounterId`). */
function counterId(name: string): bigint {
  return [...name].reduce((id, letter) => {
    const digit = letter === " " ? 0 : letter.charCodeAt(0) - FIRST_LETTER;
    return id * BASE + BigInt(digit);
  }, 0n);
}
