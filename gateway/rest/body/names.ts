import { z } from "zod";
import { AddressHex, type BodyOf, MosaicId, NamespaceId } from "../../../catapult/values/scalars.js";

export const NamespaceNameDTO = z
  .object({
    id: NamespaceId,
    name: z.string().describe("Last part of the name."),
    parentId: NamespaceId.describe("Absent for a root.").optional(),
  })
  .meta({ id: "NamespaceNameDTO" });

export type NamespaceNameBody = BodyOf<typeof NamespaceNameDTO>;

const names = z.array(z.string()).describe("Names of the namespaces that point to it, such as `root.child`.");

export const AccountsNamesDTO = z
  .object({ accountNames: z.array(z.object({ address: AddressHex, names }).meta({ id: "AccountNamesDTO" })) })
  .meta({ id: "AccountsNamesDTO" });

export type AccountsNamesBody = BodyOf<typeof AccountsNamesDTO>;

export const MosaicsNamesDTO = z
  .object({ mosaicNames: z.array(z.object({ mosaicId: MosaicId, names }).meta({ id: "MosaicNamesDTO" })) })
  .meta({ id: "MosaicsNamesDTO" });

export type MosaicsNamesBody = BodyOf<typeof MosaicsNamesDTO>;
