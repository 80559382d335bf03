// Addresses and texts in transactions come as hex digits.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Of base32. */
export const ADDRESS_LENGTH = 39;

const bytesOf = (hex) => (hex.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));

/** An address in base32 (39 characters) of its 48 hex digits. */
export function encodeAddress(hex) {
  const bits = bytesOf(`${hex}00`)
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  return Array.from({ length: ADDRESS_LENGTH }, (_, at) => {
    return ALPHABET[Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)];
  }).join("");
}

/** Whether it is a namespace's alias in the place of an address: the first byte is odd. */
export const isAlias = (hex) => Number.parseInt(hex.slice(1, 2), 16) % 2 === 1;

/** The namespace id (16 hex digits) in an alias. */
export const namespaceOfAlias = (hex) => hex.slice(2, 18).match(/../g).reverse().join("");

/** A message's text, or undefined if it is not text: encrypted, empty, or bytes. */
export function messageText(hex) {
  const bytes = bytesOf(hex);
  const start = bytes[0] === 0 ? 1 : 0;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes.slice(start)));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: text with control characters is bytes
    return text === "" || /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
