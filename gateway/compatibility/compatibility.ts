import { type Order, pageSizes } from "../../schema/graph/page.js";

/** Which behaviour applies where the specification and catapult-rest differ. */
export type CompatibilityMode = "spec" | "catapult-rest";

/** The behaviour of a gateway in a mode, by the ids of {@link DIFFERENCES}. */
export interface Behaviour {
  readonly defaultOrder: Order;
  readonly defaultPageSize: number;
  readonly clampsPageSize: boolean;
  readonly takesPageZero: boolean;
  readonly takesUnknownOrder: boolean;
  readonly malformedIsUnacceptable: boolean;
  readonly findsNothingOutOfRange: boolean;
  readonly findsNothingBetweenCrossedBounds: boolean;
  readonly takesUncheckedAddresses: boolean;
  readonly ignoresUnknownParameters: boolean;
  readonly takesTextForList: boolean;
  readonly usesReferenceMessages: boolean;
  readonly hidesInterfaces: boolean;
  readonly rejectsAfterAccepting: boolean;
  readonly findsWrittenMosaicsOnly: boolean;
}

/** A difference between the modes, for people. The texts may contain Markdown code spans. */
export interface Difference {
  readonly id: keyof Behaviour;
  readonly subject: string;
  readonly spec: string;
  readonly catapultRest: string;
  /** Why the default is not catapult-rest's. */
  readonly why: string;
}

interface Row<Value> extends Omit<Difference, "id"> {
  /** The values with `spec`, and with `catapult-rest`. */
  readonly values: readonly [Value, Value];
}

const NO_YES = [false, true] as const;

/**
 * Every difference between the modes. The code uses `values`; docs/from-catapult-rest.md is generated from the texts.
 */
const table: { readonly [Id in keyof Behaviour]: Row<Behaviour[Id]> } = {
  defaultOrder: {
    subject: "A list without `order`",
    spec: "newest entry first (`desc`)",
    catapultRest: "oldest entry first (`asc`)",
    why: "The specification sets `desc`.",
    values: ["desc", "asc"],
  },
  defaultPageSize: {
    subject: "A list without `pageSize`",
    spec: `${pageSizes.default} entries`,
    catapultRest: "20 entries",
    why: `The specification sets ${pageSizes.default}.`,
    values: [pageSizes.default, 20],
  },
  clampsPageSize: {
    subject: `\`pageSize\` below ${pageSizes.min} or above ${pageSizes.max}`,
    spec: "409 `InvalidArgument`",
    catapultRest: "the nearest allowed size",
    why: "A client that receives fewer entries than it requested assumes that this is the last page.",
    values: NO_YES,
  },
  takesPageZero: {
    subject: "`pageNumber=0`",
    spec: "409 `InvalidArgument`",
    catapultRest: "page 1",
    why: "The specification counts pages from 1; a client that counts from 0 would read page 1 twice.",
    values: NO_YES,
  },
  takesUnknownOrder: {
    subject: "`order` that is neither `asc` nor `desc`",
    spec: "409 `InvalidArgument`",
    catapultRest: "`asc`",
    why: "A mistyped `order` would return the other end of the list.",
    values: NO_YES,
  },
  malformedIsUnacceptable: {
    subject: "An argument that is not of its type (an id, a hash, a height …)",
    spec: "400 `InvalidContent`; the message names the argument and its valid form",
    catapultRest: "409 `InvalidArgument`, `height has an invalid format`",
    why: "The specification has a separate status for this.",
    values: NO_YES,
  },
  findsNothingOutOfRange: {
    subject: "A type above 65535, a kind that does not exist (`aliasType=9`), a height above 2^64 - 1",
    spec: "409 `InvalidArgument`",
    catapultRest: "nothing is found: an empty list, or 404",
    why: "Such a number is a mistake of the client.",
    values: NO_YES,
  },
  findsNothingBetweenCrossedBounds: {
    subject: "A lower bound above its upper bound (`fromHeight=5&toHeight=2`)",
    spec: "409 `InvalidArgument`",
    catapultRest: "an empty list",
    why: "No entry can fit; an empty list would hide the mistake.",
    values: NO_YES,
  },
  takesUncheckedAddresses: {
    subject: "An address with an invalid checksum",
    spec: "400 `InvalidContent`",
    catapultRest: "nothing is found: an empty list, or 404",
    why: "A mistyped address would look like an account without history.",
    values: NO_YES,
  },
  ignoresUnknownParameters: {
    subject: "A query parameter that the path does not have (`pagesize=50`)",
    spec: "409 `InvalidArgument`; the message names it and the nearest one",
    catapultRest: "ignored",
    why: "A mistyped parameter would widen a search silently.",
    values: NO_YES,
  },
  takesTextForList: {
    subject: 'A single text in place of a list in a body (`{"hashes": "AB…"}`)',
    spec: "400 `InvalidContent`",
    catapultRest: "a list of one",
    why: "The specification requires a list.",
    values: NO_YES,
  },
  usesReferenceMessages: {
    subject: "Messages of other errors: unknown paths, methods and media types, missing or contradictory arguments",
    spec: "name the argument and its valid form",
    catapultRest:
      "as in catapult-rest; for a finalization proof that does not exist, code `NotFound` without a message",
    why: "Some clients compare messages, people read them.",
    values: NO_YES,
  },
  hidesInterfaces: {
    subject: "`GET /`",
    spec: "lists the interfaces of this server",
    catapultRest: "404 `ResourceNotFound`",
    why: "catapult-rest has no such route; it helps people who open the URL in a browser.",
    values: NO_YES,
  },
  rejectsAfterAccepting: {
    subject: "Announcing a transaction that can never be valid",
    spec: "400 or 409, naming the field and the node's code",
    catapultRest:
      "202; a `status` message and `/transactionStatus` then have the node's code. Nothing is sent to the node. What a node drops without a status (bytes that are not a transaction, a cosignature with an invalid signature) is dropped",
    why: "An immediate answer is easier to handle than a message on another connection.",
    values: NO_YES,
  },
  findsWrittenMosaicsOnly: {
    subject: "`transferMosaicId`",
    spec: "finds transfers of the mosaic, including those that name it by a namespace",
    catapultRest: "finds transfers that contain this id",
    why: "A client that searches for a mosaic wants all of its transfers.",
    values: NO_YES,
  },
};

const ids = Object.keys(table) as (keyof Behaviour)[];

/** Every difference between `COMPATIBILITY=spec` and `COMPATIBILITY=catapult-rest`, in the order of the documentation. */
export const DIFFERENCES: readonly Difference[] = ids.map((id) => {
  const { subject, spec, catapultRest, why } = table[id];
  return { id, subject, spec, catapultRest, why };
});

/** The behaviour of a gateway in a mode. */
export function selectBehaviour(mode: CompatibilityMode): Behaviour {
  const index = mode === "spec" ? 0 : 1;
  return Object.fromEntries(ids.map((id) => [id, table[id].values[index]])) as unknown as Behaviour;
}
