import type { Logger } from "pino";
import { statusCodeName } from "../../catapult/announcement/status-code.js";
import { isCosignatureOf } from "../../catapult/entity/cosignature.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Change } from "./change.js";
import { hashOf, type MessageGroup } from "./message-groups.js";
import { readPartialAggregate, readPendingTransaction } from "./pending-transaction.js";

/** The change of a group of messages; undefined if the blocks contain it, or if it is invalid, which is logged. */
export function toChanges({ message, addresses }: MessageGroup, network: NetworkIdentity, log: Logger): Change[] {
  const hash = hashOf(message);
  try {
    switch (message.kind) {
      case "unconfirmed": {
        const pending = readPendingTransaction(message.transaction, network, message.hash);
        return [{ kind: "unconfirmedAdded", hash, pending, addresses }];
      }
      case "partial": {
        const pending = readPartialAggregate(message.transaction, network, { hash: message.hash });
        return [{ kind: "partialAdded", hash, pending, addresses }];
      }
      case "unconfirmedRemoved":
      case "partialRemoved":
        return [{ kind: message.kind, hash }];
      case "cosignature": {
        const { version, signerPublicKey, signature } = message;
        const cosignature = { version, signerPublicKey, signature };
        if (!isCosignatureOf(cosignature, hash))
          throw new EntityError("cosignature", "is not a signature of the aggregate");
        return [{ kind: "cosignatureAdded", hash, cosignature }];
      }
      case "status": {
        const { code, deadline } = message;
        return [{ kind: "rejectedByNode", hash, code: statusCodeName(code), deadline, addresses }];
      }
      case "confirmed":
        return [];
    }
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    log.warn(
      { kind: message.kind, hash: hash.toString("hex"), problem: error.message },
      "Rejected an invalid message of the node's broker",
    );
    return [];
  }
}
