import { z } from "zod";

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_LIFETIME_SECONDS = 48 * 3600;
const MAX_FEE_FACTOR = 1000;
const MAX_MOSAICS = 500;
const MAX_BYTES = 1_000_000;

/** Atomic units, or ms since the network's epoch, as decimal digits. */
const uint64 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,19})$/, "must be a decimal number without sign")
  .refine((text) => BigInt(text) <= MAX_UINT64, "must be below 2^64");
const aggregate = z.enum(["complete", "bonded"]);
const hash = z.string().regex(/^[0-9A-F]{64}$/, "must be 64 upper-case hex digits");

const choices = {
  /** The kind of aggregate to use; by default none if none is needed, otherwise a complete one. */
  aggregate: aggregate.optional(),
  /** Most that the signer pays, atomic units of the currency. */
  max_fee: uint64.optional(),
  /** Factor of the suggested fee; default 1. */
  suggested_fee_multiplier: z.number().positive().max(MAX_FEE_FACTOR).optional(),
  /** From the network's time to the deadline; by default two hours, for a bonded aggregate a day. */
  lifetime_seconds: z.int().min(1).max(MAX_LIFETIME_SECONDS).optional(),
};

/** `metadata` of `/construction/preprocess`: what the client may choose. */
export const PreprocessMetadata = z.strictObject(choices);

/** `options` of a transaction, from `/construction/preprocess` to `/construction/metadata`. */
export const TransactionOptions = z.strictObject({
  ...choices,
  /** Bytes. */
  size: z.int().min(1).max(MAX_BYTES),
  /** The decimals by mosaic id, without the network's currency. */
  decimals: z
    .record(z.string().regex(/^[0-9A-F]{16}$/), z.int().min(0))
    .refine((record) => Object.keys(record).length <= MAX_MOSAICS, `must be of at most ${MAX_MOSAICS} mosaics`),
});
export type TransactionOptions = z.infer<typeof TransactionOptions>;

/** `options` of a cosignature. */
export const CosignatureOptions = z.strictObject({ aggregate_hash: hash });

/** `options` of either. */
export const Options = z.union([CosignatureOptions, TransactionOptions]);

/** `metadata` of a transaction, from `/construction/metadata` to `/construction/payloads`. */
export const TransactionMetadata = z.strictObject({
  aggregate: aggregate.optional(),
  aggregate_version: z.int().min(1).max(255),
  max_fee: uint64,
  /** The deadline, in ms since the network's epoch. */
  deadline: uint64,
});
export type TransactionMetadata = z.infer<typeof TransactionMetadata>;

/**
 * `metadata` of the second round: the transaction with its first signature, as `/construction/combine` returned it.
 * Other members are those of the first round, which it already contains.
 */
export const CosigningMetadata = z.strictObject({
  ...TransactionMetadata.partial().shape,
  signed_transaction: z.string(),
});
