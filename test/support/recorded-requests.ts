import { hex } from "../../catapult/entity/hex.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { statementHashes } from "../../catapult/entity/statement.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedBlocks } from "./recorded-facts.js";

/** Paths of one kind; their order is part of the snapshot. */
export interface RequestGroup {
  readonly name: string;
  readonly paths: readonly string[];
}

const PAGE = 100;
/** Of what all blocks have in the same form, every n-th block is requested. */
const SOME = 10;

/** 24 hex digits of the id of an entity: height, index in block, index in aggregate. */
function idOf(height: number, index = 0, embeddedIndex = 0): string {
  const digits = (value: number, length: number) => value.toString(16).toUpperCase().padStart(length, "0");
  return `${digits(height, 10)}${digits(index, 8)}${digits(embeddedIndex, 6)}`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** At most 30 of these. */
function several<T>(values: readonly T[]): T[] {
  const step = Math.ceil(values.length / 30);
  return values.filter((_, index) => index % step === 0);
}

/** All pages of a list of at most `count` entries in both orders, and one that begins in the middle. */
function pagesOf(list: string, count: number): string[] {
  const pages = Array.from({ length: Math.ceil(count / PAGE) + 1 }, (_, index) => index + 1);
  const query = (rest: string) => `${list}${list.includes("?") ? "&" : "?"}pageSize=${PAGE}${rest}`;
  return ["asc", "desc"].flatMap((order) => pages.map((page) => query(`&order=${order}&pageNumber=${page}`)));
}

/** The first page of each list. */
function firstPages(lists: readonly string[]): string[] {
  return lists.map((list) => `${list}&pageSize=${PAGE}`);
}

/** Every request for blocks, transactions, statements and their lists on the recorded chain. */
export function recordedRequests(chain: RecordedChain): readonly RequestGroup[] {
  const blocks = recordedBlocks(chain);
  const transactions = blocks.flatMap((block) => block.transactions);
  const embedded = transactions.flatMap((transaction) => transaction.embedded);
  const all = [...transactions, ...embedded];
  const statements = blocks.flatMap(({ statement }) => statement.transactionStatements);
  const receipts = statements.flatMap((one) => one.receipts);
  const addresses = unique(all.flatMap((one) => one.relatedAddresses.map(hex)));
  const types = unique(all.map(({ entity }) => String(entity.type)));
  const signers = unique(all.map(({ entity }) => hex(entity.signerPublicKey)));
  const recipients = unique(
    all.flatMap(({ entity }) => ("recipientAddress" in entity ? [hex(entity.recipientAddress)] : [])),
  );
  const confirmed = "/transactions/confirmed";
  const receiptValues = (read: (receipt: (typeof receipts)[number]) => Buffer | undefined) =>
    unique(receipts.flatMap((receipt) => read(receipt) ?? []).map(hex));
  const some = blocks.filter(({ height }) => height % SOME === 0);
  const resolutions = blocks.reduce(
    (sum, { statement }) => sum + statement.addressResolutions.length + statement.mosaicResolutions.length,
    0,
  );
  return [
    { name: "blocks by height", paths: blocks.map(({ height }) => `/blocks/${height}`) },
    { name: "pages of blocks", paths: pagesOf("/blocks", blocks.length) },
    {
      name: "blocks by signer and beneficiary",
      paths: firstPages([
        ...unique(blocks.map(({ signerPublicKey }) => hex(signerPublicKey))).map(
          (key) => `/blocks?signerPublicKey=${key}`,
        ),
        ...unique(blocks.map((one) => hex(one.beneficiaryAddress))).map((one) => `/blocks?beneficiaryAddress=${one}`),
      ]),
    },
    { name: "transactions by hash", paths: transactions.map(({ hash }) => `${confirmed}/${hex(hash)}`) },
    { name: "embedded transactions by id", paths: blocks.flatMap(idsIn).map((id) => `${confirmed}/${id}`) },
    {
      name: "pages of transactions",
      paths: [
        ...pagesOf(confirmed, transactions.length),
        ...pagesOf(`${confirmed}?embedded=true`, all.length),
        ...pagesOf(`${confirmed}?include=transactions`, transactions.length),
      ],
    },
    {
      name: "transactions by filter",
      paths: ["", "&embedded=true"].flatMap((rest) =>
        firstPages([
          ...types.map((type) => `${confirmed}?type=${type}${rest}`),
          ...several(addresses).map((address) => `${confirmed}?address=${address}${rest}`),
          ...several(addresses).map((address) => `${confirmed}?address=${address}&type=${types.at(-1)}${rest}`),
          ...several(signers).map((key) => `${confirmed}?signerPublicKey=${key}${rest}`),
          ...several(recipients).map((address) => `${confirmed}?recipientAddress=${address}${rest}`),
          ...some.map(({ height }) => `${confirmed}?height=${height}${rest}`),
        ]),
      ),
    },
    {
      name: "statements",
      paths: [
        ...pagesOf("/statements/transaction", statements.length),
        ...pagesOf("/statements/resolutions/address", resolutions),
        ...pagesOf("/statements/resolutions/mosaic", resolutions),
      ],
    },
    {
      name: "statements by filter",
      paths: firstPages([
        ...unique(receipts.map(({ type }) => String(type))).map(
          (type) => `/statements/transaction?receiptType=${type}`,
        ),
        ...receiptValues((one) => ("targetAddress" in one ? one.targetAddress : undefined)).map(
          (address) => `/statements/transaction?targetAddress=${address}`,
        ),
        ...receiptValues((one) => ("senderAddress" in one ? one.senderAddress : undefined)).map(
          (address) => `/statements/transaction?senderAddress=${address}`,
        ),
        ...receiptValues((one) => ("recipientAddress" in one ? one.recipientAddress : undefined)).map(
          (address) => `/statements/transaction?recipientAddress=${address}`,
        ),
      ]),
    },
    { name: "merkle paths", paths: some.flatMap(merklePathsIn) },
  ];
}

function idsIn({ height, transactions }: VerifiedBlock): string[] {
  return transactions.flatMap(({ index, embedded }) => embedded.map((inner) => idOf(height, index, inner.index + 1)));
}

function merklePathsIn({ height, transactions, statement }: VerifiedBlock): string[] {
  return [
    ...transactions.map(({ hash }) => `/blocks/${height}/transactions/${hex(hash)}/merkle`),
    ...transactions.map((one) => `/blocks/${height}/transactions/${hex(one.merkleComponentHash)}/merkle`),
    ...statementHashes(statement).map((hash) => `/blocks/${height}/statements/${hex(hash)}/merkle`),
  ];
}
