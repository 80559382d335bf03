import { z } from "zod";
import * as codec from "../values/codecs.js";
import { field, number, uint8, uint16, uint32, unused } from "../values/codecs.js";
import { Amount, NetworkTypeEnum, Timestamp, UInt32 } from "../values/scalars.js";
import type { Struct } from "../values/struct.js";

/* What every block and every transaction begins with. Source: the catbuffer schemas `entity.cats` and `transaction.cats`. */

const TYPE = "Type of the entity, which determines its other members.";

/** The type of the entities that have the other members of a schema. */
export function typeIn<const Type extends number>(...types: Type[]) {
  return z.literal(types).describe(TYPE);
}

const signerPublicKey = field(codec.publicKey, "Public key of the signer.");
const version = field(number(uint8, z.int().min(0).max(255)), "Version of the layout.");
const network = field(number(uint8, NetworkTypeEnum), "Network that it is valid for: 104 main, 152 test.");
const entityType = number(uint16, z.int().min(0).max(0xffff));
const transactionType = field(entityType, "Transaction type, such as 16724 for a transfer.");

/** The first part of every block and every top-level transaction. The signed bytes begin with the version. */
export const SIGNED = {
  size: field(number(uint32, UInt32), "Size in bytes."),
  headerReserved: unused(4),
  signature: field(codec.signature, "Signature of the signer."),
  signerPublicKey,
  bodyReserved: unused(4),
  version,
  network,
  type: field(entityType, TYPE),
};

/** The header of a top-level transaction. */
export const TRANSACTION_HEADER = {
  fields: {
    ...SIGNED,
    type: transactionType,
    maxFee: field(
      codec.decimalDigits(Amount, "UInt64"),
      "Maximum fee that the signer pays, in atomic units of the currency; the block's fee multiplier times the size is charged.",
    ),
    deadline: field(
      codec.decimalDigits(Timestamp, "UInt64"),
      "Time after which the transaction can no longer be confirmed, in milliseconds since the network's epoch adjustment.",
    ),
  },
} as const satisfies Struct;

/** The header of an embedded transaction: the signer is the account that it acts for. */
export const EMBEDDED_HEADER = {
  fields: {
    size: uint32,
    headerReserved: unused(4),
    signerPublicKey,
    bodyReserved: unused(4),
    version,
    network,
    type: transactionType,
  },
} as const satisfies Struct;
