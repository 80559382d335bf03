import { z } from "zod";
import {
  AddressHex,
  type BodyOf,
  Height,
  MosaicId,
  NamespaceId,
  NamespaceRegistrationTypeEnum,
  numberOf,
  ObjectId,
  StateVersion,
} from "../values/scalars.js";

const AliasDTO = z
  .object({
    type: numberOf("AliasTypeEnum", [0, 1, 2], "0 none, 1 mosaic, 2 address."),
    mosaicId: MosaicId.optional(),
    address: AddressHex.optional(),
  })
  .meta({ id: "AliasDTO", description: "Target of a namespace." });

/** The target of a namespace. */
export type AliasBody = BodyOf<typeof AliasDTO>;

const NamespaceMetaDTO = z
  .object({
    active: z.boolean().describe("Whether the namespace, including its grace period, has not expired."),
    index: z.int().min(0).describe("Number of earlier registrations that can still be rolled back."),
  })
  .meta({ id: "NamespaceMetaDTO" });

export const NamespaceInfoDTO = z
  .object({
    id: ObjectId,
    meta: NamespaceMetaDTO,
    namespace: z
      .object({
        version: StateVersion,
        registrationType: NamespaceRegistrationTypeEnum,
        depth: z.int().min(1).max(3).describe("1 for a root."),
        level0: NamespaceId.describe("The root."),
        level1: NamespaceId.optional(),
        level2: NamespaceId.optional(),
        alias: AliasDTO,
        parentId: NamespaceId.describe("Zeros for a root."),
        ownerAddress: AddressHex,
        startHeight: Height,
        endHeight: Height.describe("First height after its grace period; 2^64 - 1 if it never ends."),
      })
      .meta({ id: "NamespaceDTO" }),
  })
  .meta({ id: "NamespaceInfoDTO", description: "State of a namespace." });

/** The REST body of a namespace. */
export type NamespaceBody = BodyOf<typeof NamespaceInfoDTO>;
/** The stored form: `meta.active` depends on the chain's height. */
export type StoredNamespaceBody = Omit<NamespaceBody, "meta"> & {
  readonly meta: Omit<NamespaceBody["meta"], "active">;
};
