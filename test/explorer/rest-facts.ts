import { encodeAddress } from "../../catapult/entity/address.js";

// What REST answers about a small chain, in the form in which pages show it.

const DAY_MS = 86_400_000;
/** The type of receipts for harvesting. */
const HARVEST_FEE = 8_515;

interface Block {
  readonly height: number;
  readonly timestamp: number;
  readonly transactions: number;
  readonly fee: bigint;
  readonly multiplier: number;
  /** Address of the main account. */
  readonly harvester: string;
}

interface Transaction {
  readonly height: number;
  readonly type: number;
  readonly signer: string;
}

/** Everything that the figures of the pages are compared with; the newest first, amounts in atomic units. */
export type RestFacts = Awaited<ReturnType<typeof readRestFacts>>;

/** Reads it from the gateway at `url`. */
export async function readRestFacts(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every form
  const get = async (path: string): Promise<any> => (await fetch(`${url}${path}`)).json();
  /** All entries of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every form
  const all = async (path: string): Promise<any[]> => {
    const entries = [];
    for (let number = 1; ; number++) {
      const { data } = await get(`${path}${path.includes("?") ? "&" : "?"}pageSize=100&pageNumber=${number}`);
      entries.push(...data);
      if (data.length < 100) return entries;
    }
  };
  const totalOf = async (path: string) => String((await get(`${path}?pageSize=10`)).pagination.totalEntries);
  const addressOf = (hex: string) => encodeAddress(Buffer.from(hex, "hex"));
  const properties = await get("/network/properties");
  const epochMs = 1_000 * Number.parseInt(properties.network.epochAdjustment, 10);
  const currencyId = properties.chain.currencyMosaicId.replace(/0x|'/g, "").toUpperCase();
  const { height: head, latestFinalizedBlock } = await get("/chain/info");
  const mains = new Map<string, string>();
  const harvesterOf = async (key: string) => {
    if (!mains.has(key)) mains.set(key, await mainOf(get, key));
    return mains.get(key)!;
  };
  const blocks: Block[] = [];
  for (const { meta, block } of await all("/blocks?order=desc"))
    blocks.push({
      height: Number(block.height),
      timestamp: Number(block.timestamp),
      transactions: meta.transactionsCount,
      fee: BigInt(meta.totalFee),
      multiplier: block.feeMultiplier,
      harvester: await harvesterOf(block.signerPublicKey),
    });
  const transactionsOf = async (query: string) =>
    (await all(`/transactions/confirmed?order=desc${query}`)).map(
      ({ meta, transaction }): Transaction => ({
        height: Number(meta.height),
        type: transaction.type,
        signer: transaction.signerPublicKey,
      }),
    );
  const everything = await transactionsOf("&embedded=true");
  const accounts = (await all("/accounts")).map(({ account }) => ({
    address: addressOf(account.address),
    publicKey: account.publicKey as string,
    since: Number(account.addressHeight),
    mosaics: account.mosaics as { id: string; amount: string }[],
  }));
  const holders = accounts
    .flatMap((one) => one.mosaics.filter(({ id }) => id === currencyId).map(({ amount }) => ({ ...one, amount })))
    .sort((a, b) => (BigInt(a.amount) < BigInt(b.amount) ? 1 : -1));
  const rewards = (await all(`/statements/transaction?receiptType=${HARVEST_FEE}`)).flatMap(({ statement }) =>
    statement.receipts
      .filter(({ type }: { type: number }) => type === HARVEST_FEE)
      .map(({ targetAddress, amount }: { targetAddress: string; amount: string }) => ({
        height: Number(statement.height),
        target: addressOf(targetAddress),
        amount: BigInt(amount),
      })),
  );
  /** What main accounts that harvested got for it, in blocks, most first. */
  const rewardsIn = (heights: ReadonlySet<number>) => {
    const sums = new Map<string, bigint>();
    for (const { height, harvester } of blocks.filter((one) => heights.has(one.height)))
      for (const reward of rewards.filter((one) => one.height === height && one.target === harvester))
        sums.set(reward.target, (sums.get(reward.target) ?? 0n) + reward.amount);
    return [...sums.values()].sort((a, b) => (a < b ? 1 : -1));
  };
  // The first block is as old as the network's time.
  const shown = blocks.length > 1 ? blocks.filter(({ height }) => height > 1) : blocks;
  const dayOf = ({ timestamp }: Block) => Math.floor((epochMs + timestamp) / DAY_MS);
  const days = [...new Set(shown.map(dayOf))].map((day) => {
    const own = shown.filter((one) => dayOf(one) === day);
    const isOwn = ({ height }: { readonly height: number }) => own.some((one) => one.height === height);
    return { start: day * DAY_MS, blocks: own, all: everything.filter(isOwn) };
  });
  const paid = blocks.slice(0, 100).flatMap(({ multiplier }) => (multiplier > 0 ? [multiplier] : []));
  const sorted = (paid.length > 0 ? paid : [100]).toSorted((a, b) => a - b);
  const mosaics = (await all("/mosaics?order=desc")).map(({ mosaic }) => mosaic);
  const divisibilityOf = (id: string): number => mosaics.find((one) => one.id === id).divisibility;
  const richest = holders[0]!;
  const [{ meta: newest }] = (await get("/transactions/confirmed?order=desc&pageSize=10")).data;
  return {
    ...{ blocks, days, accounts, holders, mosaics, divisibilityOf, richest, currencyId, head: head as string },
    top: await transactionsOf(""),
    finalized: latestFinalizedBlock.height as string,
    unconfirmed: await totalOf("/transactions/unconfirmed"),
    partial: await totalOf("/transactions/partial"),
    namespaces: await totalOf("/namespaces"),
    supply: mosaics.find(({ id }) => id === currencyId).supply as string,
    ofRichest: String((await get(`/transactions/confirmed?address=${richest.address}`)).pagination.totalEntries),
    offers: [sorted[0]!, sorted[sorted.length >> 1]!, sorted.at(-1)!],
    busiest: blocks.reduce((most, one) => (one.transactions > most.transactions ? one : most)),
    newest: newest as { readonly hash: string; readonly height: string },
    rewards: rewardsIn(new Set(shown.map(({ height }) => height))),
    allRewards: rewardsIn(new Set(blocks.map(({ height }) => height))),
  };
}

/** The address of the main account behind a key that signs blocks. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every form
async function mainOf(get: (path: string) => Promise<any>, publicKey: string): Promise<string> {
  const { account } = await get(`/accounts/${publicKey}`);
  const linked = account.accountType === 2 ? account.supplementalPublicKeys.linked?.publicKey : undefined;
  return linked ? mainOf(get, linked) : encodeAddress(Buffer.from(account.address, "hex"));
}
