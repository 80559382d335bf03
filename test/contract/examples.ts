import { encodeAddress } from "../../catapult/entity/address.js";
import { metadataCompositeHash } from "../../catapult/state/composite-hash.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import type { Party } from "../support/transaction-maker.js";
import type { Scene } from "./scene.js";

export type Texts = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** A request of an operation that has an answer. */
export interface Example {
  readonly path?: Texts;
  /** A valid value for every query parameter, except those of pages. */
  readonly query?: Query;
  /** Query parameters that require others, and these. */
  readonly beside?: Readonly<Record<string, readonly string[]>>;
  /** Query parameters whose example value correctly finds nothing. */
  readonly findsNothing?: readonly string[];
  readonly body?: unknown;
}

/** Valid paths that name nothing existing, by their parameter. */
export const ABSENT: Texts = {
  accountId: "F".repeat(64),
  address: "TADP6C2GVEG654OP5LZI32P2GYJSCMEGQBYB7QY",
  compositeHash: "F".repeat(64),
  epoch: "999",
  hash: "F".repeat(64),
  height: "999999",
  mosaicId: "7FFFFFFFFFFFFFFF",
  namespaceId: "FFFFFFFFFFFFFFFF",
  transactionId: "F".repeat(64),
};

const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
const idText = (id: bigint) => id.toString(16).toUpperCase().padStart(16, "0");

/** An example of each operation by its id. The scene's bodies are looked up where a hash cannot be computed. */
export async function examplesOf(scene: Scene): Promise<Readonly<Record<string, Example>>> {
  const { names, state, make, node } = scene;
  const { alice, bob, carol, parties, mosaicIds, multisig, metal } = state;
  const { devnet } = node;
  const addressOf = ({ address }: Party) => encodeAddress(address);
  const keyOf = ({ publicKey }: Party) => hex(publicKey);
  const [firstParty] = parties as [Party];
  const coin = idText(mosaicIds[0] as bigint);
  const height = String(names.height);
  const currency = idText(devnet.currencyMosaicId);
  // biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
  const first = async (path: string): Promise<any> => {
    const response = await fetch(`${scene.url}${path}`);
    return ((await response.json()) as { data: unknown[] }).data[0];
  };
  const { lock: hashLock } = await first("/lock/hash");
  const { lock: secretLock } = await first("/lock/secret");
  const { mosaicRestrictionEntry: restriction } = await first(`/restrictions/mosaic?entryType=0`);
  const metadata = hex(
    metadataCompositeHash({
      sourceAddress: alice.address,
      targetAddress: alice.address,
      scopedMetadataKey: 0n,
      targetId: mosaicIds[0] as bigint,
      metadataType: 1,
    }),
  );
  const harvester = devnet.accounts.at(-1) as Party;
  const block = await first("/blocks?order=desc");
  const beneficiary = devnet.block(2) && encodeAddress(Buffer.from(block.block.beneficiaryAddress, "hex"));

  const searched = {
    address: addressOf(alice),
    recipientAddress: addressOf(bob),
    signerPublicKey: keyOf(alice),
    height,
    fromHeight: height,
    toHeight: height,
    transferMosaicId: currency,
    fromTransferAmount: "5",
    toTransferAmount: "5",
    type: ["16724", "16705"],
    embedded: "true",
  };
  const waiting = {
    query: { ...searched, type: ["16705", "16961"] },
    beside: {
      fromTransferAmount: ["transferMosaicId", "embedded"],
      toTransferAmount: ["transferMosaicId", "embedded"],
      transferMosaicId: ["embedded"],
      recipientAddress: ["embedded"],
    },
    findsNothing: ["height", "fromHeight", "toTransferAmount"],
  };
  const payload = hex(
    make.transaction(alice, {
      type: "transfer_transaction_v1",
      recipientAddress: new Uint8Array(bob.address),
      mosaics: [{ mosaicId: devnet.currencyMosaicId, amount: 1n }],
    }),
  );
  const bonded = make.aggregate({
    signer: alice,
    isBonded: true,
    embedded: [make.embedded(bob, { type: "transfer_transaction_v1", recipientAddress: new Uint8Array(bob.address) })],
  });
  // The aggregate lacks another one: it stays partial.
  const cosignature = make.cosignature(bob, Buffer.from(names.partialHash, "hex"));
  const statementPage = { height, fromHeight: height, toHeight: height };

  return {
    searchAccounts: {
      query: { address: addressOf(alice), mosaicId: coin, orderBy: "balance" },
      beside: { orderBy: ["mosaicId"] },
    },
    getAccountsInfo: { body: { addresses: [addressOf(alice), addressOf(bob)] } },
    getAccountInfo: { path: { accountId: keyOf(alice) } },
    getAccountInfoMerkle: { path: { accountId: addressOf(alice) } },
    searchBlocks: {
      query: {
        signerPublicKey: block.block.signerPublicKey,
        beneficiaryAddress: beneficiary,
        fromTimestamp: "1",
        toTimestamp: "9999999999999",
        fromTime: "2020-01-01",
        toTime: "2100-01-01T00:00:00Z",
        orderBy: "height",
      },
    },
    getBlockByHeight: { path: { height } },
    getMerkleTransaction: { path: { height, hash: names.transferHash } },
    getMerkleReceipts: { path: { height, hash: names.statementHash } },
    getChainInfo: {},
    getFinalizationProofAtEpoch: { path: { epoch: "2" } },
    getFinalizationProofAtHeight: { path: { height: String(names.finalizedHeight) } },
    getNetworkType: {},
    getRentalFees: {},
    getTransactionFees: {},
    getNetworkProperties: {},
    getNetworkInflation: {},
    getNetworkInflationAtHeight: { path: { height } },
    getMaxCurrencySupply: {},
    getTotalCurrencySupply: {},
    getCirculatingCurrencySupply: {},
    getNodeHealth: {},
    getNodeInfo: {},
    getNodePeers: {},
    getNodeStorage: {},
    getNodeTime: {},
    getServerInfo: {},
    getUnlockedAccount: {},
    getNodeMetadata: {},
    announceTransaction: { body: { payload } },
    searchConfirmedTransactions: {
      query: searched,
      beside: { fromTransferAmount: ["transferMosaicId"], toTransferAmount: ["transferMosaicId"] },
    },
    getConfirmedTransactions: { body: { transactionIds: [names.transferHash, names.aggregateHash] } },
    getConfirmedTransaction: { path: { transactionId: names.aggregateHash } },
    searchUnconfirmedTransactions: waiting,
    getUnconfirmedTransactions: { body: { transactionIds: [names.unconfirmedHash] } },
    getUnconfirmedTransaction: { path: { transactionId: names.unconfirmedHash } },
    getTransactionStatuses: {
      body: { hashes: [names.transferHash, names.failedHash, names.partialHash, names.unconfirmedHash] },
    },
    getTransactionStatus: { path: { hash: names.transferHash } },
    searchPartialTransactions: waiting,
    announcePartialTransaction: { body: { payload: hex(bonded) } },
    getPartialTransactions: { body: { transactionIds: [names.partialHash] } },
    getPartialTransaction: { path: { transactionId: names.partialHash } },
    announceCosignatureTransaction: {
      body: {
        signerPublicKey: keyOf(bob),
        signature: hex(cosignature.subarray(40, 104)),
        parentHash: names.partialHash,
        version: "0",
      },
    },
    searchAccountHashLocks: { path: { address: addressOf(bob) } },
    searchHashLock: { query: { address: addressOf(bob) } },
    getHashLocks: { body: { hashes: [hashLock.hash] } },
    getHashLock: { path: { hash: hashLock.hash } },
    getHashLockMerkle: { path: { hash: hashLock.hash } },
    searchAccountSecretLocks: { path: { address: addressOf(bob) }, query: { secret: secretLock.secret } },
    searchSecretLock: { query: { address: addressOf(bob), secret: secretLock.secret } },
    getSecretLocks: { body: { compositeHashes: [secretLock.compositeHash] } },
    getSecretLock: { path: { compositeHash: secretLock.compositeHash } },
    getSecretLockMerkle: { path: { compositeHash: secretLock.compositeHash } },
    searchMetadataEntries: {
      query: {
        sourceAddress: addressOf(alice),
        targetAddress: addressOf(alice),
        scopedMetadataKey: "0000000000000001",
        targetId: coin,
        metadataType: "1",
      },
    },
    getMetadataEntries: { body: { compositeHashes: [metadata] } },
    getMetadata: { path: { compositeHash: metadata } },
    getMetadataMerkle: { path: { compositeHash: metadata } },
    getMetadataMetal: {
      path: { metalId: metal.id },
      query: { mimeType: "text/plain", fileName: "words.txt", download: "true" },
    },
    getMosaic: { path: { mosaicId: coin } },
    getMosaicMerkle: { path: { mosaicId: coin } },
    searchMosaics: { query: { ownerAddress: addressOf(alice) } },
    getMosaics: { body: { mosaicIds: [coin, currency] } },
    getAccountMultisig: { path: { address: addressOf(multisig.top) } },
    getAccountMultisigMerkle: { path: { address: addressOf(multisig.top) } },
    getAccountMultisigGraph: { path: { address: addressOf(multisig.top) } },
    searchNamespaces: {
      query: {
        ownerAddress: addressOf(bob),
        registrationType: "1",
        level0: idText(namespaceIdOf("root0")),
        aliasType: "2",
      },
    },
    getNamespace: { path: { namespaceId: idText(namespaceIdOf("root0.child")) } },
    getNamespaceMerkle: { path: { namespaceId: idText(namespaceIdOf("root0")) } },
    getNamespacesNames: { body: { namespaceIds: [idText(namespaceIdOf("root1.child"))] } },
    getAccountsNames: { body: { addresses: [addressOf(alice), addressOf(carol)] } },
    getMosaicsNames: { body: { mosaicIds: [coin] } },
    searchTransactionStatements: {
      query: {
        ...statementPage,
        receiptType: ["8515", "4685"],
        recipientAddress: encodeAddress(await sinkOf(scene)),
        senderAddress: addressOf(alice),
        targetAddress: addressOf(harvester),
        artifactId: names.expiredMosaicId,
      },
    },
    searchAddressResolutionStatements: { query: { height } },
    searchMosaicResolutionStatements: { query: { height } },
    searchAccountRestrictions: { query: { address: addressOf(firstParty) } },
    getAccountRestrictionsBatch: { body: { addresses: [addressOf(firstParty)] } },
    getAccountRestrictions: { path: { address: addressOf(firstParty) } },
    getAccountRestrictionsMerkle: { path: { address: addressOf(firstParty) } },
    searchMosaicRestrictions: {
      query: { mosaicId: restriction.mosaicId, entryType: "0", targetAddress: addressOf(firstParty) },
    },
    getMosaicRestrictionsBatch: { body: { compositeHashes: [restriction.compositeHash] } },
    getMosaicRestrictions: { path: { compositeHash: restriction.compositeHash } },
    getMosaicRestrictionsMerkle: { path: { compositeHash: restriction.compositeHash } },
  };
}

/** The recipients of a mosaic. */
async function sinkOf({ node }: Scene): Promise<Buffer> {
  const { network } = node.devnet;
  const sinks = network.rentalFeeSinks?.(1);
  if (!sinks) throw new Error("the devnet does not say who gets rental fees");
  return sinks.mosaic;
}
