import { models } from "symbol-sdk/symbol";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { signData } from "../../catapult/crypto/signature.js";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { transactionSigningBytes } from "../../catapult/entity/hashes.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { signedAggregate, signedPayload } from "../support/devnet.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

/** Accounts of the cases. */
export interface RejectionScene {
  readonly devnet: Devnet;
  readonly alice: DevnetAccount;
  readonly bob: DevnetAccount;
  readonly poor: DevnetAccount;
  readonly nemesis: DevnetAccount;
}

/** A devnet's accounts, and two unknown ones. */
export function rejectionScene(devnet: Devnet): RejectionScene {
  const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
  const other = deriveDevnetKeys("another seed").harvester;
  const nemesis = deriveDevnetKeys("development").nemesis;
  const asAccount = ({ publicKey, privateKey }: { publicKey: Buffer; privateKey: Buffer }) => {
    return { ...alice, publicKey, privateKey, balance: 0n };
  };
  return { devnet, alice, bob, poor: asAccount(other), nemesis: asAccount(nemesis) };
}

/** One rejection: its code, and a transaction that causes it. */
export const REJECTION_WAYS: readonly (readonly [string, FailureName, (scene: RejectionScene) => Buffer])[] = [
  [
    "a deadline in the past",
    "Failure_Core_Past_Deadline",
    ({ devnet, alice }) => signedPayload(devnet, alice, { deadlineSeconds: -1 }),
  ],
  [
    "a deadline too far away",
    "Failure_Core_Future_Deadline",
    ({ devnet, alice }) => signedPayload(devnet, alice, { deadlineSeconds: 6 * 3600 + 60 }),
  ],
  [
    "more than the signer has",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) =>
      signedPayload(devnet, alice, { recipientAddress: bob.address, amount: alice.balance + 1n }),
  ],
  [
    "no money for the fee",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) => signedPayload(devnet, alice, { recipientAddress: bob.address, amount: alice.balance }),
  ],
  [
    "an unknown signer",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, poor }) => signedPayload(devnet, poor, { mosaics: [] }),
  ],
  [
    "an unknown mosaic",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice }) => signedPayload(devnet, alice, { mosaics: [{ mosaicId: 123n, amount: 1n }] }),
  ],
  [
    "the nemesis account as signer",
    "Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block",
    ({ devnet, nemesis }) => signedPayload(devnet, nemesis, { amount: 1n }),
  ],
  [
    "another network",
    "Failure_Core_Wrong_Network",
    ({ devnet, alice }) =>
      signedPayload(devnet, alice, {
        change: (transaction) => {
          transaction.network = models.NetworkType.MAINNET;
        },
      }),
  ],
  [
    "a recipient with a wrong checksum",
    "Failure_Core_Invalid_Address",
    ({ devnet, alice, bob }) =>
      signedPayload(devnet, alice, { recipientAddress: Buffer.concat([bob.address.subarray(0, 23), Buffer.of(0xff)]) }),
  ],
  [
    "a recipient name without an alias",
    "Failure_Core_Invalid_Address",
    ({ devnet, alice }) =>
      signedPayload(devnet, alice, { recipientAddress: encodeAliasAddress(namespaceIdOf("nobody"), 152) }),
  ],
  [
    "an unknown version",
    "Failure_Core_Invalid_Version",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 108, 9),
  ],
  [
    "a fee beyond all multipliers",
    "Failure_Core_Invalid_Transaction_Fee",
    ({ devnet, alice }) =>
      signedPayload(devnet, alice, {
        change: (transaction) => {
          transaction.fee = new models.Amount(0xffff_ffffn * BigInt(transaction.size) + 1n);
        },
      }),
  ],
  [
    "the zero key",
    "Failure_Core_Zero_Public_Key",
    ({ devnet, alice }) => Buffer.from(signedPayload(devnet, alice)).fill(0, 72, 104),
  ],
  [
    "something in the reserved bytes of a transfer",
    "Failure_Core_Nonzero_Internal_Padding",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 155, 1),
  ],
  [
    "a long message",
    "Failure_Transfer_Message_Too_Large",
    ({ devnet, alice }) => signedPayload(devnet, alice, { message: Buffer.alloc(1025) }),
  ],
  [
    "mosaics out of order",
    "Failure_Transfer_Out_Of_Order_Mosaics",
    ({ devnet, alice }) => {
      const mosaics = [1n, 2n].map((mosaicId) => ({ mosaicId, amount: 1n }));
      const payload = signedPayload(devnet, alice, { mosaics });
      // symbol-sdk would sort them
      payload.writeBigUInt64LE(2n, payload.length - 32);
      signData(alice.privateKey, transactionSigningBytes(payload, devnet.network)).copy(payload, 8);
      return payload;
    },
  ],
  [
    "a wrong signature",
    "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 10, 0x55),
  ],
  [
    "an aggregate without transactions",
    "Failure_Aggregate_No_Transactions",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { embedded: [] }),
  ],
  [
    "an aggregate of too many transactions",
    "Failure_Aggregate_Too_Many_Transactions",
    ({ devnet, alice }) =>
      signedAggregate(devnet, alice, { embedded: Array.from({ length: 101 }, () => ({ signer: alice, fields: {} })) }),
  ],
  [
    "an aggregate with too many cosigners",
    "Failure_Aggregate_Too_Many_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, {
        embedded: [{ signer: alice, fields: {} }],
        cosigners: Array.from({ length: 25 }, () => bob),
      }),
  ],
  [
    "an aggregate with a cosigner twice",
    "Failure_Aggregate_Redundant_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, { embedded: [{ signer: alice, fields: {} }], cosigners: [bob, bob] }),
  ],
  [
    "an aggregate with a cosigner that has no part in it",
    "Failure_Aggregate_Ineligible_Cosignatories",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, { embedded: [{ signer: alice, fields: {} }], cosigners: [bob] }),
  ],
  [
    "an aggregate that lacks a signature",
    "Failure_Aggregate_Missing_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, {
        embedded: [alice, bob].map((signer) => ({ signer, fields: {} })),
      }),
  ],
  [
    "an aggregate with a wrong hash",
    "Failure_Aggregate_Transactions_Hash_Mismatch",
    ({ devnet, alice }) =>
      signedAggregate(devnet, alice, {
        embedded: [{ signer: alice, fields: {} }],
        transactionsHash: Buffer.alloc(32, 1),
      }),
  ],
  [
    "an aggregate with a wrong cosignature",
    "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ({ devnet, alice, bob }) => {
      const embedded = [alice, bob].map((signer) => ({ signer, fields: {} }));
      const payload = signedAggregate(devnet, alice, { embedded, cosigners: [bob] });
      return changed(payload, payload.length - 1, 0x77);
    },
  ],
  [
    "an aggregate of version 1",
    "Failure_Aggregate_V1_Prohibited",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { version: 1, embedded: [{ signer: alice, fields: {} }] }),
  ],
  [
    "an aggregate of version 2",
    "Failure_Aggregate_V2_Prohibited",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { version: 2, embedded: [{ signer: alice, fields: {} }] }),
  ],
  [
    "an aggregate whose part cannot be paid",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) => {
      const fields = { recipientAddress: alice.address, amount: bob.balance + 1n };
      return signedAggregate(devnet, bob, { embedded: [{ signer: bob, fields }] });
    },
  ],
];

/** The same bytes except one. */
export function changed(payload: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(payload);
  copy[offset] = copy[offset] === value ? value ^ 0xff : value;
  return copy;
}
