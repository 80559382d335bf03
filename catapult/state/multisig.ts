import { z } from "zod";
import { address, countCodec, field, listCodec, uint32Number, uint64 } from "../values/codecs.js";
import type { ValuesOf } from "../values/struct.js";
import { stateBody, stateCodec } from "./state-codec.js";

/** Addresses ascend as bytes. */
export const MULTISIG_FIELDS = {
  minApproval: field(uint32Number, "Cosignatures required for a transaction; 0 for an account without cosignatories.", {
    column: "min_approval",
  }),
  minRemoval: field(uint32Number, "Cosignatures required to remove a cosignatory.", { column: "min_removal" }),
  accountAddress: field(address, "Address of the account that the entry is about.", { column: "address" }),
  cosignatoriesCount: countCodec(uint64),
  cosignatoryAddresses: field(listCodec(address, "cosignatoriesCount"), "Accounts that cosign for this one.", {
    column: "cosignatory_addresses",
  }),
  multisigsCount: countCodec(uint64),
  multisigAddresses: field(listCodec(address, "multisigsCount"), "Accounts that this one cosigns for.", {
    column: "multisig_addresses",
  }),
} as const;

/**
 * The multisig entry of an account that has cosignatories, or is one. Source: catapult's `MultisigEntrySerializer`.
 */
export const MULTISIG_CODEC = stateCodec("multisig", MULTISIG_FIELDS);

export type MultisigState = ValuesOf<typeof MULTISIG_FIELDS>;

/** The REST body of a multisig entry. */
export const MULTISIG_BODY = stateBody(
  {
    id: "MultisigAccountInfoDTO",
    description: "The multisig entry of an account.",
    member: "multisig",
    stateId: "MultisigDTO",
    hasId: false,
  },
  MULTISIG_FIELDS,
  { json: ["accountAddress", "minApproval", "minRemoval", "cosignatoryAddresses", "multisigAddresses"] },
);

export const MultisigAccountGraphInfoDTO = z
  .object({
    level: z.int().describe("0 the requested account, below 0 accounts it cosigns for, above 0 its cosignatories."),
    multisigEntries: z.array(MULTISIG_BODY.schema).describe("Multisig entries of the level."),
  })
  .meta({ id: "MultisigAccountGraphInfoDTO", description: "A level of a multisig graph." });
