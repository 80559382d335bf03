import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import { stateKeySize, statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { STATE } from "../../catapult/state/state-table.js";
import { renderStatePath } from "../../catapult/state/tree-path.js";
import type { Db } from "../../database/database.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";

const KindType = builder.enumType("StateKind", {
  description: "A kind of state; each has its own tree under the state hash of a block.",
  values: Object.fromEntries(
    STATE_KINDS.map((kind) => [kind, { description: STATE[kind].tree.description }]),
  ) as Record<StateKind, { description: string }>,
});

/** The nodes of a state tree on the path to a key, from a node. */
interface StatePath {
  readonly raw: Buffer;
}

const StatePathType = builder.objectRef<StatePath>("StatePath").implement({
  description:
    "The nodes of a state tree on the path to a key, at the node's own height. For a missing key, those that prove its absence.",
  fields: (t) => ({
    ...members(t, {
      raw: ["Hex", "Tree nodes as serialized by the node, concatenated."],
    }),
    body: bodyField(t, ({ raw }) => render(raw)),
  }),
});

builder.queryField("statePath", (t) =>
  t.field({
    type: StatePathType,
    description: "Requests the path through a state tree to a key from the node.",
    args: {
      kind: t.arg({ description: "Kind of state, which selects the tree.", type: KindType, required: true }),
      key: t.arg({
        type: "Hex",
        required: true,
        description:
          "Address (24 bytes; for an account also its public key), id of a mosaic or root namespace (8), hash of an aggregate or composite hash (32).",
      }),
    },
    resolve: async (_root, { kind, key }, { db, node }) => {
      const nodeKey = await toNodeKey(db, kind, key);
      return { raw: await node.statePath(statePathPacket(kind), nodeKey) };
    },
  }),
);

const PUBLIC_KEY_SIZE = 32;
const ID_SIZE = 8;

/** The key in the form of requests to the node: ids are little-endian there, and accounts have addresses. */
async function toNodeKey(db: Db, kind: StateKind, key: Buffer): Promise<Buffer> {
  if (kind === "account" && key.length === PUBLIC_KEY_SIZE) {
    const network = await readNetworkIdentifier(db);
    if (network === undefined) throw serviceUnavailable("nothing is indexed yet: try again");
    return addressOfPublicKey(key, network);
  }
  const size = stateKeySize(kind);
  if (key.length !== size) throw invalidArgument(`key must have ${size} bytes for kind ${kind}, not ${key.length}`);
  return size === ID_SIZE ? Buffer.from(key).reverse() : key;
}

function render(raw: Buffer): string {
  try {
    return renderStatePath(raw);
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    throw serviceUnavailable("the node sent an invalid response", error);
  }
}
