import { z } from "zod";
import type { BodyOf } from "../../../catapult/values/scalars.js";
import { PacketType } from "../../../catapult/wire/packet-type.js";
import { type Arguments, bodyText, type Values } from "../route/argument.js";
import { amount, bytes, hash, publicKey, signature } from "../route/argument-types.js";
import { json, operationRoute, type Route } from "../route/route.js";

const tag = "Transactions";

const AnnounceTransactionInfoDTO = z
  .object({ message: z.string().describe("Confirms that the packet was sent to the node.") })
  .meta({ id: "AnnounceTransactionInfoDTO" });

const payload = { payload: bodyText(bytes, "The signed transaction in its binary form.") } as const satisfies Arguments;

const cosignature = {
  signerPublicKey: bodyText(publicKey, "Public key of the cosigner."),
  signature: bodyText(signature, "Signature of the aggregate's hash."),
  parentHash: bodyText(hash, "Hash of the aggregate."),
  version: bodyText(amount, "0."),
} as const satisfies Arguments;

/** A packet to push to the node. */
interface Push<A extends Arguments> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly arguments: A;
  readonly operation: string;
  readonly packetType: number;
}

function announcementRoute<A extends Arguments>(push: Push<A>): Route {
  const { operation, packetType, ...description } = push;
  return operationRoute(
    { method: "PUT", tag, result: AnnounceTransactionInfoDTO, success: 202, ...description },
    {
      operation,
      followsChain: false,
      variables: (values: Values<A>, { rejectsAfterAccepting }) => ({
        ...values,
        reportRejection: rejectsAfterAccepting,
      }),
      // As worded by catapult-rest.
      answer: () =>
        json<BodyOf<typeof AnnounceTransactionInfoDTO>>({
          message: `packet ${packetType} was pushed to the network via ${push.path}`,
        }),
    },
  );
}

const transaction = {
  summary:
    "Announces a transaction: 202 means that the node's connection has accepted the bytes, not that the transaction is valid.",
  arguments: payload,
  operation: `mutation ($payload: Hex!, $reportRejection: Boolean) {
    announceTransaction(payload: $payload, reportRejection: $reportRejection)
  }`,
  packetType: PacketType.pushTransactions,
};

export const announcementRoutes: readonly Route[] = [
  announcementRoute({ ...transaction, path: "/transactions", operationId: "announceTransaction" }),
  announcementRoute({ ...transaction, path: "/transaction", operationId: "announceOneTransaction" }),
  announcementRoute({
    path: "/transactions/partial",
    operationId: "announcePartialTransaction",
    summary: "Announces a bonded aggregate with missing cosignatures.",
    arguments: payload,
    operation: `mutation ($payload: Hex!, $reportRejection: Boolean) {
      announcePartialTransaction(payload: $payload, reportRejection: $reportRejection)
    }`,
    packetType: PacketType.pushPartialTransactions,
  }),
  announcementRoute({
    path: "/transactions/cosignature",
    operationId: "announceCosignatureTransaction",
    summary: "Announces a cosignature of a partial aggregate.",
    arguments: cosignature,
    operation: `mutation (
      $parentHash: Hash256!, $signerPublicKey: PublicKey!, $signature: Signature!, $version: UInt64!,
      $reportRejection: Boolean
    ) {
      announceCosignature(
        parentHash: $parentHash, signerPublicKey: $signerPublicKey, signature: $signature, version: $version,
        reportRejection: $reportRejection
      )
    }`,
    packetType: PacketType.pushDetachedCosignatures,
  }),
];
