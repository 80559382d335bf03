import type { InterfaceRef } from "@pothos/core";
import type { Entry } from "../../database/lists/page.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { addressIn } from "../graph/state.js";

/** What the REST bodies of both kinds of locks have. */
export interface LockBody {
  readonly ownerAddress: string;
  readonly mosaicId: string;
  readonly amount: string;
  readonly endHeight: string;
  readonly status: number;
}

/** The lock in the REST body of an entry. */
export function lockOf<Body extends LockBody = LockBody>(entry: Entry): Body {
  return bodyOf<{ readonly lock: Body }>(entry).lock;
}

/** What hash locks and secret locks have in common. */
export const Lock: InterfaceRef<SchemaTypes, Entry> = builder.interfaceRef<Entry>("Lock").implement({
  description: "An amount that is held back until somebody may have it.",
  fields: (t) => ({
    id: t.expose("id", { description: "Of the entry in the list.", type: "EntityId" }),
    ownerAddress: t.field({
      type: "Address",
      description: "Whose amount it was.",
      resolve: (entry) => addressIn(lockOf(entry).ownerAddress),
    }),
    mosaicId: t.field({
      description: "Of what is held back.",
      type: "ArtifactId",
      resolve: (entry) => lockOf(entry).mosaicId,
    }),
    amount: t.field({ type: "UInt64", description: "Atomic units.", resolve: (entry) => lockOf(entry).amount }),
    endHeight: t.field({
      type: "SafeInt",
      description: "Where it expires, if it is not used below.",
      resolve: (entry) => Number(lockOf(entry).endHeight),
    }),
    status: t.int({ description: "0 unused, 1 used.", resolve: (entry) => lockOf(entry).status }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});
