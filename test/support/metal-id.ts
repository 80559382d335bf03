const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The first bytes of an id; it has no zeros at its start, which base58 would write as `1`. */
const HEADER = "0b2a";

/** The id of the Metal file whose first entry has this composite hash (32 bytes). */
export function formatMetalId(compositeHash: Buffer): string {
  let text = "";
  for (let value = BigInt(`0x${HEADER}${compositeHash.toString("hex")}`); value > 0n; value /= 58n)
    text = `${ALPHABET[Number(value % 58n)]}${text}`;
  return text;
}
