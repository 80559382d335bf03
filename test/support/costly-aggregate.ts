import { derivePublicKey } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { AGGREGATE, paddingSize } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { makeAggregate, makeEmbedded } from "./made-transaction.js";
import type { SeededRandom } from "./seeded-random.js";
import type { Party } from "./transaction-maker.js";

/** What account restrictions forbid: transfers from addresses, or of mosaics. */
export type RestrictedValue = "address" | "mosaic";

const FLAGS: Readonly<Record<RestrictedValue, number>> = { address: 0x8001, mosaic: 0x8002 };
const TYPES: Readonly<Record<RestrictedValue, number>> = {
  address: TRANSACTION_TYPE.account_address_restriction,
  mosaic: TRANSACTION_TYPE.account_mosaic_restriction,
};

/** An account of which no chain knows. */
export function newParty({ identifier }: NetworkIdentity, random: SeededRandom): Party {
  const privateKey = random.bytes(32);
  const publicKey = derivePublicKey(privateKey);
  return { privateKey, publicKey, address: addressOfPublicKey(publicKey, identifier) };
}

/** How an aggregate of account restrictions is made. */
export interface CostlyAggregate {
  readonly network: NetworkIdentity;
  readonly signer: Party;
  readonly random: SeededRandom;
  readonly value: RestrictedValue;
  /** Number of embedded transactions; default 100. */
  readonly transactions?: number;
  /** Number of values that each of them adds; default 100. */
  readonly additions?: number;
  /** Milliseconds since the network's epoch. */
  readonly deadline: bigint;
  /** Atomic units; default 100 for each byte. */
  readonly maxFee?: bigint;
}

/** A complete aggregate of account restrictions that add as many values as they may: the most work for its bytes. */
export function costlyAggregate(made: CostlyAggregate): Buffer {
  const { network, signer, random, value, transactions = 100, additions = 100 } = made;
  const embedded = Array.from({ length: transactions }, () => {
    const values = Array.from({ length: additions }, () =>
      value === "mosaic" ? random.bytes(8) : addressOfPublicKey(random.bytes(32), network.identifier),
    );
    const header = Buffer.alloc(8);
    header.writeUInt16LE(FLAGS[value], 0);
    header.writeUInt8(additions, 2);
    return makeEmbedded({ signer, type: TYPES[value], version: 1, body: Buffer.concat([header, ...values]) }, network);
  });
  return complete(embedded, made);
}

/** A complete aggregate of transfers of nothing, each to another account of which no chain knows. */
export function aggregateToMany(made: Omit<CostlyAggregate, "value" | "additions">): Buffer {
  const { network, signer, random, transactions = 100 } = made;
  const embedded = Array.from({ length: transactions }, () => {
    const body = Buffer.concat([addressOfPublicKey(random.bytes(32), network.identifier), Buffer.alloc(8)]);
    return makeEmbedded({ signer, type: TRANSACTION_TYPE.transfer, version: 1, body }, network);
  });
  return complete(embedded, made);
}

function complete(embedded: readonly Buffer[], made: Omit<CostlyAggregate, "value">): Buffer {
  const { network, signer, deadline } = made;
  const size = AGGREGATE.headerSize + embedded.reduce((sum, { length }) => sum + length + paddingSize(length), 0);
  const { maxFee = BigInt(100 * size) } = made;
  return makeAggregate(embedded, { signer, version: 3, maxFee, deadline }, network);
}
