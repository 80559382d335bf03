import { amount, type Codec, decimal, field, publicKey, signature, unresolvedMosaicId } from "../values/codecs.js";
import { makeStruct, type ValuesOf } from "../values/struct.js";

const COSIGNATURE_FIELDS = {
  version: field(decimal, "0."),
  signerPublicKey: field(publicKey, "Public key of the cosigner."),
  signature: field(signature, "Signature of the aggregate's hash."),
};

/** A signature of an aggregate by another account than its signer. */
export type CosignatureFields = ValuesOf<typeof COSIGNATURE_FIELDS>;

export const COSIGNATURE = makeStruct(
  { id: "CosignatureDTO", description: "Cosignature of an aggregate." },
  COSIGNATURE_FIELDS,
);

/** A mosaic id, not resolved, and an amount in atomic units. */
export interface MosaicAmount {
  readonly mosaicId: bigint;
  readonly amount: bigint;
}

const { size, schema, json } = makeStruct(
  { id: "UnresolvedMosaic", description: "Amount of a mosaic, as in the transaction." },
  {
    id: field(unresolvedMosaicId, "Id of the mosaic, or of a namespace that is its alias."),
    amount: field(amount, "Amount in atomic units of the mosaic."),
  },
);

export const MOSAIC: Codec<MosaicAmount, ReturnType<(typeof schema)["parse"]>> = {
  ...{ size, schema, scalar: undefined, json },
  read: (bytes, offset) => ({ mosaicId: bytes.readBigUInt64LE(offset), amount: bytes.readBigUInt64LE(offset + 8) }),
};
