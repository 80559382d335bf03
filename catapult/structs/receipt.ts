import { z } from "zod";
import { object, rendered, type Write } from "../values/body-writer.js";
import { address, amount, field, mosaicId, number, uint16, uint32 } from "../values/codecs.js";
import { Hex } from "../values/scalars.js";
import {
  computeLayout,
  describedFields,
  type JsonOf,
  makeMembers,
  makeShape,
  type Struct,
  type ValuesOf,
} from "../values/struct.js";

const HEADER = {
  size: uint32,
  version: field(number(uint16, z.int()), "Version of the receipt's layout."),
  type: field(number(uint16, z.int().min(0).max(0xffff)), "Receipt type, such as 8515 for a harvest fee."),
};
const MOSAIC = { mosaicId: field(mosaicId, "Id of the mosaic."), amount: field(amount, "Amount in atomic units.") };

/** Bytes of a receipt before what its kind consists of. */
export const RECEIPT_HEADER_SIZE = 8;

interface ReceiptLayout extends Struct {
  readonly schema: string;
  readonly description: string;
  /** The upper 4 bits of its types. */
  readonly basicTypes: readonly number[];
}

/** All kinds of receipts. Source: catbuffer `receipts.cats`, and for the members of bodies the mappers of catapult's `extensions/mongo`. */
export const RECEIPTS = {
  balanceTransfer: {
    schema: "BalanceTransferReceiptDTO",
    description: "An amount went from one account to another: rental fees.",
    basicTypes: [1],
    fields: {
      ...HEADER,
      ...MOSAIC,
      senderAddress: field(address, "Address of the account that paid."),
      recipientAddress: field(address, "Address of the recipient."),
    },
    json: ["version", "type", "senderAddress", "recipientAddress", "mosaicId", "amount"],
  },
  balanceChange: {
    schema: "BalanceChangeReceiptDTO",
    description: "The balance of an account changed: harvesting, locks.",
    basicTypes: [2, 3],
    fields: {
      ...HEADER,
      ...MOSAIC,
      targetAddress: field(address, "Address of the account whose balance was changed."),
    },
    json: ["version", "type", "targetAddress", "mosaicId", "amount"],
  },
  artifactExpiry: {
    schema: "ArtifactExpiryReceiptDTO",
    description: "A mosaic or namespace expired.",
    basicTypes: [4],
    fields: { ...HEADER, artifactId: field(mosaicId, "Id of the mosaic or namespace that expired.") },
  },
  inflation: {
    schema: "InflationReceiptDTO",
    description: "The block created an amount of the currency.",
    basicTypes: [5],
    fields: { ...HEADER, ...MOSAIC },
  },
} as const satisfies Record<string, ReceiptLayout>;

/** What of a receipt of an unknown type or size is known. */
const UNKNOWN = { fields: HEADER } as const satisfies Struct;

type Kind = keyof typeof RECEIPTS;
const KINDS = Object.keys(RECEIPTS) as Kind[];

/** A receipt; `bytes` are its own. */
export type Receipt = { readonly version: number; readonly type: number; readonly bytes: Buffer } & (
  | {
      [K in Kind]: { readonly kind: K } & Omit<ValuesOf<(typeof RECEIPTS)[K]["fields"]>, "size" | "version" | "type">;
    }[Kind]
  | { readonly kind: "unknown" }
);

type UnknownBody = JsonOf<typeof UNKNOWN> & { readonly bin: string };

/** The REST body of a receipt in a statement. */
export type ReceiptBody = { [K in Kind]: JsonOf<(typeof RECEIPTS)[K]> }[Kind] | UnknownBody;

const UnknownReceiptDTO = z
  .object({ ...makeShape(describedFields(UNKNOWN)), bin: Hex.describe("The bytes after the receipt's header.") })
  .meta({ id: "UnknownReceiptDTO", description: "Receipt of a type that this program does not know." });

export const AnyReceipt = z.union([
  ...Object.values<ReceiptLayout>(RECEIPTS).map((layout) =>
    z.object(makeShape(describedFields(layout))).meta({ id: layout.schema, description: layout.description }),
  ),
  UnknownReceiptDTO,
]) as unknown as z.ZodType<ReceiptBody>;

const LAYOUTS = Object.fromEntries(KINDS.map((kind) => [kind, computeLayout(RECEIPTS[kind])]));
const KIND_OF_BASIC_TYPE = new Map<number, Kind>(
  KINDS.flatMap((kind) => RECEIPTS[kind].basicTypes.map((basic) => [basic, kind] as const)),
);

/** The kind of a receipt of this type and size (bytes). */
function findKind(type: number, size: number): Receipt["kind"] {
  const kind = KIND_OF_BASIC_TYPE.get(type >> 12);
  return kind === undefined || size !== LAYOUTS[kind]!.fixedSize ? "unknown" : kind;
}

const OFFSET = { size: 0, version: 4, type: 6 } as const;

/** The fields of a receipt that fills `bytes`, which has a header and the size that is in it. Other types and sizes are `unknown`. */
export function readReceipt(bytes: Buffer): Receipt {
  const version = bytes.readUInt16LE(OFFSET.version);
  const type = bytes.readUInt16LE(OFFSET.type);
  const kind = findKind(type, bytes.length);
  const receipt: Record<string, unknown> = { version, type, bytes, kind };
  if (kind !== "unknown")
    for (const { name, field, offset } of LAYOUTS[kind]!.fixed)
      if (offset >= RECEIPT_HEADER_SIZE) receipt[name] = field.read(bytes, offset);
  return receipt as Receipt;
}

/** The bytes of a receipt that its hash covers: all but its size. */
export function hashedBytes({ bytes }: Pick<Receipt, "bytes">): Buffer {
  return bytes.subarray(OFFSET.version);
}

/** The size of a receipt at an offset. */
export const receiptSize = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + OFFSET.size);

const WRITERS = new Map<Receipt["kind"], Write<Buffer, ReceiptBody>>(
  KINDS.map((kind) => [kind, object<Buffer, ReceiptBody>(makeMembers<Struct>(RECEIPTS[kind]) as never)]),
);
WRITERS.set(
  "unknown",
  object<Buffer, UnknownBody>({
    ...makeMembers(UNKNOWN),
    bin: (writer, bytes, at) => writer.hex(bytes, at + RECEIPT_HEADER_SIZE, at + receiptSize(bytes, at)),
  }) as Write<Buffer, ReceiptBody>,
);

/** Writes the body of the receipt at an offset. */
export const writeReceipt: Write<Buffer, ReceiptBody> = (writer, bytes, at) =>
  WRITERS.get(findKind(bytes.readUInt16LE(at + OFFSET.type), receiptSize(bytes, at)))!(writer, bytes, at);

/** The REST body of a receipt. */
export function renderReceipt(bytes: Buffer): ReceiptBody {
  return JSON.parse(rendered(writeReceipt, bytes)) as ReceiptBody;
}
