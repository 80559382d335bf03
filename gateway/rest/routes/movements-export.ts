import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import { notFound } from "../../../schema/errors/errors.js";
import { formatWholeUnits } from "../../../schema/graph/formats.js";
import { path, query } from "../route/argument.js";
import { accountId, artifactId } from "../route/argument-types.js";
import { csvLine, freeText } from "../route/csv.js";
import { ExportRange, rangeArguments, rangeOperations } from "../route/export-range.js";
import { exportRoute, type RawParameters, type ReadRows, type Route } from "../route/route.js";

/** Movements read by one operation. */
const AT_ONCE = 500;

const operations = {
  ...rangeOperations,
  account: `query ($addresses: [Address!], $publicKeys: [PublicKey!]) {
    accounts: accountsByIds(addresses: $addresses, publicKeys: $publicKeys) { address }
  }`,
  balance: `query ($address: Address!, $mosaicId: ArtifactId!, $height: SafeInt!) {
    amount: balanceAt(address: $address, mosaicId: $mosaicId, height: $height)
  }`,
  movements: `query ($address: Address!, $mosaicId: ArtifactId, $fromHeight: SafeInt, $toHeight: SafeInt, $after: String) {
    accounts: accountsByIds(addresses: [$address]) {
      movements(
        mosaicId: $mosaicId, fromHeight: $fromHeight, toHeight: $toHeight, order: asc, first: ${AT_ONCE}, after: $after
      ) {
        data { key time height hash embeddedIndex cause counterparty mosaicId divisibility change messageText }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`,
};

const HEADER = [
  ...["time", "height", "hash", "embedded", "cause", "counterparty"],
  ...["mosaic", "change", "balance", "divisibility", "message", "key"],
];

interface Movement {
  readonly time: string;
  readonly height: number;
  readonly hash: string | null;
  readonly embeddedIndex: number | null;
  readonly cause: string;
  readonly counterparty: string | null;
  readonly mosaicId: string;
  /** Null if the mosaic's state is unknown: then amounts are in atomic units. */
  readonly divisibility: number | null;
  /** Signed atomic units. */
  readonly change: string;
  readonly messageText: string | null;
  readonly key: string;
}

async function* readMovements(ask: ReadRows, values: Record<string, unknown>): AsyncGenerator<Movement> {
  for (let after: string | null | undefined; after !== null; ) {
    const { accounts } = (await ask("movements", { ...values, after })) as {
      accounts: {
        movements: {
          data: readonly Movement[];
          pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
        };
      }[];
    };
    const [account] = accounts;
    if (!account) return;
    yield* account.movements.data;
    const { hasNextPage, endCursor } = account.movements.pageInfo;
    after = hasNextPage ? endCursor : null;
  }
}

/** An amount as a decimal number. */
function decimal(amount: bigint, divisibility: number | null): string {
  const size = formatWholeUnits(amount < 0n ? -amount : amount, divisibility ?? 0);
  return amount < 0n ? `-${size}` : size;
}

async function addressOf(ask: ReadRows, id: unknown, requested: RawParameters): Promise<string> {
  const key = (id as Buffer).length === ADDRESS_SIZE ? { addresses: [id] } : { publicKeys: [id] };
  const { accounts } = (await ask("account", key)) as { accounts: readonly { readonly address: string }[] };
  const [account] = accounts;
  if (!account) throw notFound(requested.accountId ?? "");
  return account.address;
}

/** Lines of an account's books, in the order of the chain. Balances are added up, from those before the range. */
async function* lines(
  ask: ReadRows,
  { accountId: id, mosaicId, ...bounds }: Record<string, unknown>,
  requested: RawParameters,
): AsyncGenerator<string> {
  const address = await addressOf(ask, id, requested);
  const range = await ExportRange.find(ask, bounds);
  yield csvLine(HEADER);
  const balances = new Map<string, bigint>();
  const balanceBefore = async (mosaic: string, height: number): Promise<bigint> => {
    if (height < 1) return 0n;
    const { amount } = (await ask("balance", { address, mosaicId: mosaic, height })) as { amount: string };
    return BigInt(amount);
  };
  const { fromHeight, toHeight } = range;
  for await (const one of range.isEmpty ? [] : readMovements(ask, { address, mosaicId, fromHeight, toHeight })) {
    const before = balances.get(one.mosaicId) ?? (await balanceBefore(one.mosaicId, fromHeight - 1));
    const balance = before + BigInt(one.change);
    balances.set(one.mosaicId, balance);
    yield csvLine([
      ...[one.time, one.height, one.hash, one.embeddedIndex, one.cause, one.counterparty, one.mosaicId],
      ...[decimal(BigInt(one.change), one.divisibility), decimal(balance, one.divisibility), one.divisibility],
      ...[one.messageText === null ? null : freeText(one.messageText), one.key],
    ]);
  }
  await range.verify();
}

export const movementsExportRoutes: readonly Route[] = [
  exportRoute(
    {
      path: "/accounts/{accountId}/movements.csv",
      operationId: "exportAccountMovements",
      tag: "Accounts",
      summary:
        "The account's books as CSV: everything that moved its balances, with cause, counterparty and balance; amounts in whole units.",
      arguments: {
        accountId: path(accountId, "Address or public key of the account."),
        mosaicId: query(artifactId, "Only this mosaic."),
        ...rangeArguments,
      },
      canMiss: true,
    },
    {
      operations,
      variables: (values) => values,
      rows: lines,
      fileName: ({ accountId: account }) => `movements-${account}.csv`,
    },
  ),
];
