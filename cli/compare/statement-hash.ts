import { hex } from "../../catapult/entity/hex.js";
import {
  addressResolutionHash,
  mosaicResolutionHash,
  transactionStatementHash,
} from "../../catapult/entity/statement.js";
import { at, isObject, type Json } from "./json.js";

interface Source {
  readonly primaryId: number;
  readonly secondaryId: number;
}

const ADDRESS_DIGITS = 48;
const id = (text: string) => BigInt(`0x${text}`);
const bytesOf = (text: string) => Buffer.from(text, "hex");

/** Hash (hex) of a statement as shown in REST, needed to request its Merkle path; undefined for an unknown form. */
export function statementHash(statement: Json): string | undefined {
  try {
    return hex(hashOf(statement));
  } catch {
    return undefined; // a gateway's response may contain anything
  }
}

function hashOf(statement: Json): Buffer {
  const receipts = at(statement, "receipts");
  const sourceOf = (value: Json) => at(value, "source") as unknown as Source;
  if (Array.isArray(receipts)) {
    return transactionStatementHash(
      sourceOf(statement),
      receipts.map((receipt) => ({ bytes: receiptBytes(receipt) })),
    );
  }
  const unresolved = String(at(statement, "unresolved"));
  const entries = at(statement, "resolutionEntries") as readonly Json[];
  const read = <Value>(parse: (text: string) => Value) =>
    entries.map((entry) => ({ source: sourceOf(entry), resolved: parse(String(at(entry, "resolved"))) }));
  return unresolved.length === ADDRESS_DIGITS
    ? addressResolutionHash(bytesOf(unresolved), read(bytesOf))
    : mosaicResolutionHash(id(unresolved), read(id));
}

/** A receipt as the node serializes it; its size, which is not hashed, is 0. */
function receiptBytes(receipt: Json): Buffer {
  if (!isObject(receipt)) throw new TypeError("a receipt is not an object");
  const texts = (...names: readonly string[]) =>
    names.filter((name) => name in receipt).map((name) => String(receipt[name]));
  const uint64 = (value: bigint) => bytesOf(value.toString(16).padStart(16, "0")).reverse();
  const header = Buffer.alloc(8);
  header.writeUInt16LE(Number(receipt.version), 4);
  header.writeUInt16LE(Number(receipt.type), 6);
  const ids = texts("mosaicId", "artifactId").map((text) => uint64(id(text)));
  const amounts = texts("amount").map((text) => uint64(BigInt(text)));
  return Buffer.concat([
    header,
    ...ids,
    ...amounts,
    ...texts("senderAddress", "recipientAddress", "targetAddress").map(bytesOf),
  ]);
}
