import { hex } from "../../catapult/entity/hex.js";
import {
  addressResolutionHash,
  mosaicResolutionHash,
  transactionStatementHash,
} from "../../catapult/entity/statement.js";
import { at, type Json } from "./json.js";

interface Source {
  readonly primaryId: number;
  readonly secondaryId: number;
}

const ADDRESS_DIGITS = 48;
const id = (text: string) => BigInt(`0x${text}`);
const bytesOf = (text: string) => Buffer.from(text, "hex");
const sourceOf = (value: Json) => at(value, "source") as unknown as Source;

/** Hash (hex) of a statement as shown in REST, needed to request its Merkle path; undefined for an unknown form. */
export function statementHash(statement: Json): string | undefined {
  try {
    return hex(hashOf(statement as { readonly [name: string]: Json }));
  } catch {
    return undefined; // a gateway's response may contain anything
  }
}

function hashOf({ receipts, unresolved, resolutionEntries, ...statement }: { readonly [name: string]: Json }): Buffer {
  if (Array.isArray(receipts))
    return transactionStatementHash(
      sourceOf(statement),
      receipts.map((receipt) => ({ bytes: receiptBytes(receipt) })),
    );
  const read = <Value>(parse: (text: string) => Value) =>
    (resolutionEntries as readonly Json[]).map((entry) => ({
      source: sourceOf(entry),
      resolved: parse(String(at(entry, "resolved"))),
    }));
  const text = String(unresolved);
  return text.length === ADDRESS_DIGITS
    ? addressResolutionHash(bytesOf(text), read(bytesOf))
    : mosaicResolutionHash(id(text), read(id));
}

/** A receipt as the node serializes it; its size, which is not hashed, is 0. */
function receiptBytes(receipt: Json): Buffer {
  const texts = (...names: readonly string[]) =>
    names.flatMap((name) => (at(receipt, name) === undefined ? [] : [String(at(receipt, name))]));
  const uint64 = (value: bigint) => bytesOf(value.toString(16).padStart(16, "0")).reverse();
  const header = Buffer.alloc(8);
  header.writeUInt16LE(Number(at(receipt, "version")), 4);
  header.writeUInt16LE(Number(at(receipt, "type")), 6);
  const ids = texts("mosaicId", "artifactId").map((text) => uint64(id(text)));
  const amounts = texts("amount").map((text) => uint64(BigInt(text)));
  const addresses = texts("senderAddress", "recipientAddress", "targetAddress").map(bytesOf);
  return Buffer.concat([header, ...ids, ...amounts, ...addresses]);
}
