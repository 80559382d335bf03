import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import { formatId, formatWholeUnits } from "../../../schema/graph/formats.js";
import { notFound } from "../../../schema/services/errors.js";
import { path, query } from "./argument.js";
import { accountId, artifactId } from "./argument-types.js";
import { csvLine } from "./csv.js";
import { ExportRange, rangeArguments, rangeOperations } from "./export-range.js";
import { type AskForRows, exportRoute, type RawParameters, type Route } from "./route.js";

const tag = "Accounts";
/** Entries read by one statement: the maximum of the schema. */
const AT_ONCE = 1_000;
/** Mosaics read by one statement, with their states. */
const MOSAICS_AT_ONCE = 100;

const operations = {
  ...rangeOperations,
  account: `query ($addresses: [Address!], $publicKeys: [PublicKey!]) {
    accounts: accountsByIds(addresses: $addresses, publicKeys: $publicKeys) { address }
  }`,
  mosaic: "query ($ids: [ArtifactId!]!) { mosaics: mosaicsByIds(ids: $ids) { mosaicId divisibility } }",
  mosaics: `query ($address: Address!, $after: String) {
    mosaics: pastMosaics(address: $address, first: ${MOSAICS_AT_ONCE}, after: $after) {
      data { mosaicId mosaic { divisibility } } pageInfo { hasNextPage endCursor }
    }
  }`,
  balance: `query ($address: Address!, $mosaicId: ArtifactId!, $height: SafeInt!) {
    amount: balanceAt(address: $address, mosaicId: $mosaicId, height: $height)
  }`,
  changes: `query (
    $address: Address!, $mosaicId: ArtifactId!, $fromHeight: SafeInt, $toHeight: SafeInt, $after: String
  ) {
    changes: balanceChanges(
      address: $address, mosaicId: $mosaicId, fromHeight: $fromHeight, toHeight: $toHeight,
      first: ${AT_ONCE}, after: $after
    ) { data { height timestamp change } pageInfo { hasNextPage endCursor } }
  }`,
};

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

interface ExportedMosaic {
  /** 16 hex digits. */
  readonly mosaicId: string;
  /** Undefined if its state is unknown: then amounts are in atomic units. */
  readonly divisibility: number | undefined;
}

interface Change {
  readonly height: number;
  readonly timestamp: number;
  /** Signed atomic units. */
  readonly change: string;
}

/** The mosaics of an export: the requested one, or all of which the account ever owned some. */
async function* mosaicsOf(ask: AskForRows, address: unknown, mosaicId: unknown): AsyncGenerator<ExportedMosaic> {
  if (mosaicId !== undefined) {
    const { mosaics } = (await ask("mosaic", { ids: [mosaicId] })) as { mosaics: readonly ExportedMosaic[] };
    yield mosaics[0] ?? { mosaicId: formatId(mosaicId as bigint), divisibility: undefined };
    return;
  }
  for (let after: string | null | undefined; after !== null; ) {
    const { mosaics } = (await ask("mosaics", { address, after })) as {
      mosaics: { data: { mosaicId: string; mosaic: { divisibility: number } | null }[]; pageInfo: PageInfo };
    };
    for (const { mosaicId: id, mosaic } of mosaics.data) yield { mosaicId: id, divisibility: mosaic?.divisibility };
    after = mosaics.pageInfo.hasNextPage ? mosaics.pageInfo.endCursor : null;
  }
}

async function* changesOf(
  ask: AskForRows,
  address: unknown,
  { mosaicId }: ExportedMosaic,
  { fromHeight, toHeight }: ExportRange,
): AsyncGenerator<Change> {
  for (let after: string | null | undefined; after !== null; ) {
    const { changes } = (await ask("changes", { address, mosaicId, fromHeight, toHeight, after })) as {
      changes: { data: readonly Change[]; pageInfo: PageInfo };
    };
    yield* changes.data;
    after = changes.pageInfo.hasNextPage ? changes.pageInfo.endCursor : null;
  }
}

/** Balance before the range, atomic units. */
async function balanceBefore(
  ask: AskForRows,
  address: unknown,
  { mosaicId }: ExportedMosaic,
  { fromHeight, toHeight }: ExportRange,
): Promise<bigint> {
  const height = Math.min(fromHeight - 1, toHeight);
  if (height < 1) return 0n;
  const { amount } = (await ask("balance", { address, mosaicId, height })) as { amount: string };
  return BigInt(amount);
}

/** An amount as a decimal number. */
function decimal(amount: bigint, divisibility = 0): string {
  return amount < 0n ? `-${formatWholeUnits(-amount, divisibility)}` : formatWholeUnits(amount, divisibility);
}

async function addressOf(ask: AskForRows, id: unknown, requested: RawParameters): Promise<string> {
  const key = (id as Buffer).length === ADDRESS_SIZE ? { addresses: [id] } : { publicKeys: [id] };
  const { accounts } = (await ask("account", key)) as { accounts: readonly { readonly address: string }[] };
  const [account] = accounts;
  if (!account) throw notFound(requested.accountId ?? "");
  return account.address;
}

/** Lines of a balance history, by mosaic and height. */
async function* historyLines(
  ask: AskForRows,
  { accountId: id, mosaicId, ...bounds }: Record<string, unknown>,
  requested: RawParameters,
): AsyncGenerator<string> {
  const address = await addressOf(ask, id, requested);
  const range = await ExportRange.find(ask, bounds);
  yield csvLine(["time", "height", "mosaic", "change", "balance", "divisibility"]);
  for await (const mosaic of range.isEmpty ? [] : mosaicsOf(ask, address, mosaicId)) {
    const { mosaicId: name, divisibility } = mosaic;
    let balance: bigint | undefined;
    for await (const { height, timestamp, change } of changesOf(ask, address, mosaic, range)) {
      balance ??= await balanceBefore(ask, address, mosaic, range);
      balance += BigInt(change);
      const amounts = [decimal(BigInt(change), divisibility), decimal(balance, divisibility)];
      yield csvLine([range.timeOf(timestamp), height, name, ...amounts, divisibility]);
    }
  }
  await range.verify();
}

/** Lines of a statement: of each mosaic the balance before the range, every change, and the balance at its end. */
async function* statementLines(
  ask: AskForRows,
  { accountId: id, mosaicId, ...bounds }: Record<string, unknown>,
  requested: RawParameters,
): AsyncGenerator<string> {
  const address = await addressOf(ask, id, requested);
  const range = await ExportRange.find(ask, bounds);
  yield csvLine(["entry", "time", "height", "mosaic", "change", "balance", "divisibility"]);
  for await (const mosaic of mosaicsOf(ask, address, mosaicId)) {
    const { mosaicId: name, divisibility } = mosaic;
    const opening = await balanceBefore(ask, address, mosaic, range);
    const openingLine = csvLine([
      "opening",
      "",
      range.fromHeight - 1,
      name,
      "",
      decimal(opening, divisibility),
      divisibility,
    ]);
    let balance = opening;
    let lines = 0;
    for await (const { height, timestamp, change } of range.isEmpty ? [] : changesOf(ask, address, mosaic, range)) {
      if (lines === 0) yield openingLine;
      lines += 1;
      balance += BigInt(change);
      const amounts = [decimal(BigInt(change), divisibility), decimal(balance, divisibility)];
      yield csvLine(["change", range.timeOf(timestamp), height, name, ...amounts, divisibility]);
    }
    if (lines === 0 && opening === 0n) continue;
    if (lines === 0) yield openingLine;
    const total = decimal(balance - opening, divisibility);
    yield csvLine(["closing", "", range.toHeight, name, total, decimal(balance, divisibility), divisibility]);
  }
  await range.verify();
}

const exportArguments = {
  accountId: path(accountId, "Address or public key of the account."),
  mosaicId: query(artifactId, "Only this mosaic; by default all of which the account ever owned some."),
  ...rangeArguments,
};

const fileName = (kind: string) => (requested: RawParameters) => `${kind}-${requested.accountId}.csv`;

export const balanceExportRoutes: readonly Route[] = [
  exportRoute(
    {
      path: "/accounts/{accountId}/history.csv",
      operationId: "exportAccountHistory",
      tag,
      summary: "Every change of the account's balances as CSV, by mosaic and height; amounts in whole units.",
      arguments: exportArguments,
      canMiss: true,
    },
    { operations, variables: (values) => values, rows: historyLines, fileName: fileName("history") },
  ),
  exportRoute(
    {
      path: "/accounts/{accountId}/statement.csv",
      operationId: "exportAccountStatement",
      tag,
      summary:
        "Balance statement between two heights or times as CSV: of each mosaic the opening balance, every change, and the closing balance.",
      arguments: exportArguments,
      canMiss: true,
    },
    { operations, variables: (values) => values, rows: statementLines, fileName: fileName("statement") },
  ),
];
