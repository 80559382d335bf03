import { encodeEntityId, parseEntityId } from "../../../catapult/json/entity-id.js";
import { MerkleProofInfoDTO } from "../../../catapult/json/merkle-path.js";
import { BlockInfoDTO } from "../../../catapult/structs/block.js";
import { invalidContent } from "../../../schema/errors/errors.js";
import { path, query } from "../route/argument.js";
import {
  type ArgumentType,
  address,
  hash,
  height,
  isoTime,
  publicKey,
  sortField,
  timestamp,
} from "../route/argument-types.js";
import { addedFieldArguments, fieldArguments } from "../route/field-arguments.js";
import { listRoute, oneBody, pageOf } from "../route/page.js";
import { operationRoute, type Route } from "../route/route.js";

const BlockPage = pageOf("BlockPage", BlockInfoDTO);

/** The text of an offset: its valid form depends on another argument. */
const idOrHeight: ArgumentType<string> = { schema: { type: "string" }, parse: (_name, text) => text };

/** The id after which pages start. Ids begin with the height, so both orders are the same. */
function toOffset(offset: string, orderBy: string | undefined): Buffer {
  if (orderBy === "height") return encodeEntityId(height.parse("offset", offset));
  const id = parseEntityId(offset);
  if (!id) throw invalidContent("offset", "an id of 24 hex digits (a height together with orderBy=height)");
  return id;
}

export const blockRoutes: readonly Route[] = [
  listRoute(
    {
      path: "/blocks",
      operationId: "searchBlocks",
      tag: "Blocks",
      summary: "Blocks that match all given conditions.",
    },
    {
      arguments: {
        ...fieldArguments("blocks", {
          signerPublicKey: publicKey,
          beneficiaryAddress: address,
          fromTimestamp: timestamp,
          toTimestamp: timestamp,
        }),
        ...addedFieldArguments("blocks", { fromTime: isoTime, toTime: isoTime }),
      },
      result: BlockPage,
      field: "blocks",
      position: {
        offset: query(
          idOrHeight,
          "Id of a block (its height with orderBy=height): pages start after it, in the requested order.",
        ),
        orderBy: query(sortField(["id", "height"]), "What the list is sorted by; both give the same order."),
        toOffset,
      },
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/blocks/{height}",
      operationId: "getBlockByHeight",
      tag: "Blocks",
      summary: "The block at a height.",
      arguments: { height: path(height, "Height of the block, from 1.") },
      result: BlockInfoDTO,
      canMiss: true,
    },
    {
      operation: "query ($height: SafeInt!) { found: block(height: $height) { body } }",
      followsChain: true,
      answer: oneBody,
    },
  ),
  merkleRoute({
    of: "transactions",
    operationId: "getMerkleTransaction",
    field: "transactionMerklePath",
    summary: "The Merkle path from a transaction to the block's transactions hash.",
    hash: "Hash of a transaction of the block, or its Merkle component hash.",
  }),
  merkleRoute({
    of: "statements",
    operationId: "getMerkleReceipts",
    field: "statementMerklePath",
    summary: "The Merkle path from a statement to the block's receipts hash.",
    hash: "Hash of a statement of the block.",
  }),
];

function merkleRoute(of: { of: string; operationId: string; field: string; summary: string; hash: string }): Route {
  return operationRoute(
    {
      method: "GET",
      path: `/blocks/{height}/${of.of}/{hash}/merkle`,
      operationId: of.operationId,
      tag: "Blocks",
      summary: of.summary,
      arguments: { height: path(height, "Height of the block, from 1."), hash: path(hash, of.hash) },
      result: MerkleProofInfoDTO,
      canMiss: true,
    },
    {
      operation: `query ($height: SafeInt!, $hash: Hash256!) {
        found: ${of.field}(height: $height, hash: $hash) { body }
      }`,
      followsChain: true,
      answer: oneBody,
    },
  );
}
