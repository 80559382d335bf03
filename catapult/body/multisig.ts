import { z } from "zod";
import { AddressHex, type BodyOf, StateVersion, UInt32 } from "../values/scalars.js";

export const MultisigAccountInfoDTO = z
  .object({
    multisig: z
      .object({
        version: StateVersion,
        accountAddress: AddressHex,
        minApproval: UInt32.describe(
          "Cosignatures required for a transaction; 0 for an account without cosignatories.",
        ),
        minRemoval: UInt32.describe("Cosignatures required to remove a cosignatory."),
        cosignatoryAddresses: z.array(AddressHex).describe("Accounts that cosign for this one."),
        multisigAddresses: z.array(AddressHex).describe("Accounts that this one cosigns for."),
      })
      .meta({ id: "MultisigDTO" }),
  })
  .meta({ id: "MultisigAccountInfoDTO", description: "The multisig entry of an account." });

/** The REST body of a multisig entry. */
export type MultisigBody = BodyOf<typeof MultisigAccountInfoDTO>;

export const MultisigAccountGraphInfoDTO = z
  .object({
    level: z.int().describe("0 the requested account, below 0 accounts it cosigns for, above 0 its cosignatories."),
    multisigEntries: z.array(MultisigAccountInfoDTO),
  })
  .meta({ id: "MultisigAccountGraphInfoDTO", description: "A level of a multisig graph." });
