import { hex } from "../../catapult/entity/hex.js";
import {
  addressResolutionHash,
  mosaicResolutionHash,
  transactionStatementHash,
} from "../../catapult/entity/statement.js";
import { isObject, type Json, memberOf } from "./differences.js";

interface Source {
  readonly primaryId: number;
  readonly secondaryId: number;
}

const ADDRESS_DIGITS = 48;

/**
 * Hash (upper-case hex) of a statement as shown in REST, needed to request its Merkle path; undefined for an unknown
 * form.
 */
export function statementHash(statement: Json): string | undefined {
  try {
    const hash = hashOf(statement);
    return hash && hex(hash);
  } catch {
    return undefined; // a gateway's response may contain anything
  }
}

function hashOf(statement: Json): Buffer | undefined {
  const receipts = memberOf(statement, "receipts");
  if (Array.isArray(receipts)) {
    const bytes = receipts.map((receipt) => ({ bytes: receiptBytes(receipt) }));
    return transactionStatementHash(memberOf(statement, "source") as unknown as Source, bytes);
  }
  const unresolved = memberOf(statement, "unresolved");
  const entries = memberOf(statement, "resolutionEntries");
  if (typeof unresolved !== "string" || !Array.isArray(entries)) return undefined;
  const read = <Value>(parse: (text: string) => Value) =>
    entries.map((entry) => ({
      source: memberOf(entry, "source") as unknown as Source,
      resolved: parse(String(memberOf(entry, "resolved"))),
    }));
  return unresolved.length === ADDRESS_DIGITS
    ? addressResolutionHash(bytesOf(unresolved), read(bytesOf))
    : mosaicResolutionHash(id(unresolved), read(id));
}

/** A receipt as the node serializes it; its size, which is not hashed, is 0. */
function receiptBytes(receipt: Json): Buffer {
  if (!isObject(receipt)) throw new TypeError("a receipt is not an object");
  const { version, type, mosaicId, artifactId, amount, senderAddress, recipientAddress, targetAddress } = receipt;
  const header = Buffer.alloc(8);
  header.writeUInt16LE(Number(version), 4);
  header.writeUInt16LE(Number(type), 6);
  const ids = [mosaicId, artifactId].filter((value) => value !== undefined).map((value) => uint64(id(String(value))));
  const amounts = amount === undefined ? [] : [uint64(BigInt(String(amount)))];
  const addresses = [senderAddress, recipientAddress, targetAddress].filter((value) => value !== undefined);
  return Buffer.concat([header, ...ids, ...amounts, ...addresses.map((value) => bytesOf(String(value)))]);
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

const id = (text: string) => BigInt(`0x${text}`);
const bytesOf = (text: string) => Buffer.from(text, "hex");
