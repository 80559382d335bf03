// Numbers and names for people.

const TYPES = {
  16724: "transfer",
  16705: "aggregate complete",
  16961: "aggregate bonded",
  16716: "account key link",
  16707: "voting key link",
  16963: "VRF key link",
  16972: "node key link",
  16725: "multisig modification",
  16712: "hash lock",
  16722: "secret lock",
  16978: "secret proof",
  16708: "account metadata",
  16964: "mosaic metadata",
  17220: "namespace metadata",
  16717: "mosaic definition",
  16973: "mosaic supply change",
  17229: "mosaic supply revocation",
  16718: "namespace registration",
  16974: "address alias",
  17230: "mosaic alias",
  16720: "account address restriction",
  16976: "account mosaic restriction",
  17232: "account operation restriction",
  16721: "mosaic global restriction",
  16977: "mosaic address restriction",
};

export const typeName = (type) => TYPES[type] ?? `type ${type}`;

const RECEIPTS = {
  4685: "mosaic rental fee",
  4942: "namespace rental fee",
  8515: "harvest fee",
  8776: "hash lock completed",
  8786: "secret lock completed",
  9032: "hash lock expired",
  9042: "secret lock expired",
  12616: "hash lock created",
  12626: "secret lock created",
  16717: "mosaic expired",
  16718: "namespace expired",
  16974: "namespace deleted",
  20803: "inflation",
  57667: "transaction group",
};

export const receiptName = (type) => RECEIPTS[type] ?? `receipt ${type}`;

/** Types of transactions by number, with their names. */
export const transactionTypes = Object.entries(TYPES).map(([type, name]) => ({ type: Number(type), name }));

export const count = (value) => Number(value).toLocaleString();

/** A count with its noun, such as `1 block` and `2 blocks`. */
export const things = (value, name) => `${count(value)} ${name}${Number(value) === 1 ? "" : "s"}`;

/** Amount in whole units of the currency. */
export function amount(atomicUnits, divisibility) {
  return (Number(atomicUnits) / 10 ** divisibility).toLocaleString([], { maximumFractionDigits: 3 });
}

export function duration(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export const short = (hex) => `${hex.slice(0, 8)}…${hex.slice(-4)}`;

/** The version in a node's information: one byte per part. */
export const nodeVersion = (version) => [24, 16, 8, 0].map((shift) => (version >>> shift) & 255).join(".");

/** @param ms Unix milliseconds */
export const time = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
export const dateAndTime = (ms) => new Date(ms).toLocaleString();
