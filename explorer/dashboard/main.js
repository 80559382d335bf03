import { drawBars, drawShares } from "./charts.js";
import { formatAmount } from "./explorer/amounts.js";
import { readEpoch } from "./explorer/chain.js";
import { feeLevels } from "./fee-levels.js";
import * as format from "./format.js";
import { ask, ForbiddenError, listen } from "./graphql.js";
import { pageOf } from "./place.js";
import "./suggestions.js";
import { counted, words } from "./words.js";

/** Events that cause a refresh. */
const CHANNELS = [
  "block",
  "finalizedBlock",
  "droppedBlocks",
  "unconfirmedAdded",
  "unconfirmedRemoved",
  "partialAdded",
  "partialRemoved",
];
/** Events of a block arrive together, so one refresh serves them. */
const GATHER_MS = 150;
/** Interval without events, and for values that have none. */
const POLL_MS = 5_000;
const SLOW_POLL_MS = 60_000;
const ROWS = 10;
/** Types of transactions that are shown by their names. */
const TYPES = 8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const SPANS = {
  hours: { ms: HOUR_MS, count: 48, from: "hourFrom", ago: "hoursAgo" },
  days: { ms: DAY_MS, count: 60, from: "dayFrom", ago: "daysAgo" },
};

const page = {
  range: "blocks",
  /** Unix milliseconds at the network's epoch. */
  epochMs: undefined,
  divisibility: 6,
  blocks: [],
  isLive: false,
};

const byId = (id) => document.getElementById(id);

function show(field, text) {
  for (const place of document.querySelectorAll(`[data-field="${field}"]`)) place.textContent = text;
}

const unixMs = (timestamp) => (page.epochMs ?? 0) + Number(timestamp);
const clock = (timestamp) => (page.epochMs === undefined ? "" : format.time(unixMs(timestamp)));

function link(href, text, title) {
  const made = document.createElement("a");
  Object.assign(made, { href, textContent: text, title });
  return made;
}

/** A link to an account by its name, or its address; one that the index does not know has only a key. */
function accountLink(account, key) {
  const address = account?.address ?? key;
  return link(pageOf("account", address), account?.names[0] ?? format.short(address), address);
}

function amounts(mosaics) {
  return (mosaics ?? [])
    .map(({ amount, mosaic }) =>
      mosaic ? `${formatAmount(amount, mosaic.divisibility)} ${mosaic.names[0] ?? ""}`.trim() : String(amount),
    )
    .join(", ");
}

function fillTable(id, rows) {
  const labels = [...byId(id).tHead.rows[0].cells].map(({ textContent }) => textContent);
  const made = rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(
      ...cells.map((cell, index) => {
        const place = document.createElement("td");
        place.dataset.label = labels[index];
        if (cell !== "") place.append(cell);
        return place;
      }),
    );
    return row;
  });
  byId(id).tBodies[0].replaceChildren(...made);
}

function showTiles({ indexStatus, chain, transactions, unconfirmed, partial, gateway }) {
  const { height, finalizedHeight, blocksBehind, secondsBehind } = indexStatus;
  const { finalizationEpoch, finalizationPoint } = chain.latestFinalizedBlock;
  show("height", format.count(height));
  show("finalizedHeight", format.count(finalizedHeight));
  show(
    "finalization",
    words("finalizedBelow", {
      blocks: counted("blocks", height - finalizedHeight),
      epoch: `${finalizationEpoch}.${finalizationPoint}`,
    }),
  );
  show("blocksBehind", blocksBehind === null ? "?" : counted("blocks", blocksBehind));
  show("secondsBehind", secondsBehind === null ? words("noResponse") : format.duration(secondsBehind));
  show("transactions", format.count(transactions.pagination.totalEntries));
  show("unconfirmed", format.count(unconfirmed.pagination.totalEntries));
  show("partial", words("partialCount", { count: format.count(partial.pagination.totalEntries) }));
  show("clients", format.count(gateway.webSocketConnections + gateway.graphqlConnections));
  show("subscriptions", counted("subscriptions", gateway.webSocketSubscriptions));
  show("version", `symbol-gateway ${gateway.version}`);
}

function showAge() {
  const [newest] = page.blocks;
  if (!newest || page.epochMs === undefined) return;
  show("age", words("ago", { duration: format.duration(Math.max(0, Date.now() - unixMs(newest.timestamp)) / 1_000) }));
}

function showLists({ blocks, transactions, unconfirmed, partial }) {
  fillTable(
    "blocks",
    blocks.data
      .slice(0, ROWS)
      .map(({ height, hash, timestamp, transactionsCount, totalFee, signerPublicKey, harvester }) => [
        link(pageOf("block", height), format.count(height), hash),
        clock(timestamp),
        format.count(transactionsCount),
        format.amount(totalFee, page.divisibility),
        accountLink(harvester, signerPublicKey),
      ]),
  );
  fillTable(
    "transactions",
    transactions.data.map(({ hash, type, height, signerPublicKey, signer, recipientAddress, recipient, mosaics }) => [
      link(pageOf("transaction", hash), format.short(hash), hash),
      format.typeName(type),
      link(pageOf("block", height), format.count(height), ""),
      accountLink(signer, signerPublicKey),
      recipientAddress ? accountLink(recipient, recipientAddress) : "",
      amounts(mosaics),
    ]),
  );
  const waiting = (group, what) =>
    group.data.map(({ hash, type, signerPublicKey, signer }) => [
      link(pageOf("transaction", hash), format.short(hash), hash),
      format.typeName(type),
      what,
      accountLink(signer, signerPublicKey),
    ]);
  fillTable("pending", [
    ...waiting(unconfirmed, words("group.unconfirmed")),
    ...waiting(partial, words("group.partial")),
  ]);
}

/** Time intervals or single blocks: the data of the charts. */
async function readIntervals() {
  if (page.range === "blocks") {
    const blocks = page.blocks.toReversed();
    return blocks.map((block, index) => ({
      label: words("blockAt", { height: format.count(block.height), time: clock(block.timestamp) }),
      firstHeight: block.height,
      transactions: block.transactionsCount,
      fees: Number(block.totalFee),
      // The second block comes long after the first, whose time is the network's epoch.
      blocks: index > 0 && block.height > 2 ? (block.timestamp - blocks[index - 1].timestamp) / 1_000 : 0,
    }));
  }
  const { ms, count, from } = SPANS[page.range];
  const newest = page.blocks[0]?.timestamp ?? 0;
  // Intervals begin at calendar hours and days.
  const shift = page.epochMs === undefined ? 0 : (ms - (page.epochMs % ms)) % ms;
  const last = Math.floor((newest - shift) / ms) * ms + shift;
  const first = last - (count - 1) * ms;
  const { activity } = await ask("activity", { seconds: ms / 1_000, from: Math.max(0, first), shift });
  const known = new Map(activity.map((interval) => [interval.timestamp, interval]));
  return Array.from({ length: count }, (_, index) => {
    const timestamp = first + index * ms;
    const { firstHeight, blocks = 0, transactions = 0, fees = 0 } = known.get(timestamp) ?? {};
    const time = page.epochMs === undefined ? timestamp : format.dateAndTime(unixMs(timestamp));
    const label = words(from, { time });
    return { label, firstHeight, blocks, transactions, fees: Number(fees) };
  });
}

/** Intervals end with the newest block: before it is known there is nothing to draw. */
async function showCharts() {
  const range = page.range;
  if (page.blocks.length === 0) return;
  const intervals = await readIntervals();
  const firstHeight = intervals.find((interval) => interval.firstHeight !== undefined)?.firstHeight;
  const { transactionTypes } = await ask("types", { from: firstHeight });
  if (range !== page.range) return;
  const isByBlock = range === "blocks";
  const ends = isByBlock
    ? [words("blockNumber", { height: format.count(firstHeight ?? 0) }), words("now")]
    : [counted(SPANS[range].ago, SPANS[range].count), words("now")];
  const draw = (id, field, write) =>
    drawBars(
      byId(id),
      intervals.map((interval) => ({ value: interval[field], label: `${interval.label}: ${write(interval[field])}` })),
      ends,
      write,
    );
  byId("blocks-title").textContent = words(isByBlock ? "blockTime" : "blocks");
  draw("chart-transactions", "transactions", format.count);
  draw("chart-blocks", "blocks", isByBlock ? format.duration : format.count);
  draw("chart-fees", "fees", (fees) => format.amount(fees, page.divisibility));
  const shares = transactionTypes.map(({ type, count }) => ({ name: format.typeName(type), value: count }));
  const others = shares.splice(TYPES).reduce((sum, { value }) => sum + value, 0);
  if (others > 0) shares.push({ name: words("otherTypes"), value: others });
  drawShares(byId("chart-types"), shares, format.count);
}

function showRates() {
  const { blocks } = page;
  if (blocks.length === 0) return;
  const transactions = blocks.reduce((sum, { transactionsCount }) => sum + transactionsCount, 0);
  show("perBlock", words("perBlockCount", { count: format.count((transactions / blocks.length).toFixed(1)) }));
}

/** The network's multiplier counts empty blocks as the default one; without the network's files it is unknown. */
async function showFees() {
  const { transactionFees } = await ask("fees").catch(() => ({}));
  byId("fee-levels").hidden = !transactionFees;
  if (!transactionFees) return;
  fillTable(
    "fee-levels",
    feeLevels(page.blocks, transactionFees).map(({ name, multiplier, fee, seconds }) => [
      words(`fee.${name}`),
      format.count(multiplier),
      formatAmount(fee, page.divisibility),
      seconds === undefined ? words("longer") : format.duration(seconds),
    ]),
  );
}

/** The page works without the node. */
async function showNode() {
  let answer;
  try {
    answer = await ask("node");
  } catch (error) {
    if (error instanceof ForbiddenError) throw error;
    show("node", words("noResponse"));
    return;
  }
  const { friendlyName, version } = answer.nodeInfo;
  show("node", `${friendlyName} ${format.nodeVersion(version)}`);
}

async function showLive() {
  const [live, lag, epochMs] = await Promise.all([
    ask("live"),
    ask("lag"),
    page.epochMs ?? readEpoch().catch(() => undefined),
  ]);
  const data = { ...live, ...lag };
  const isFirst = page.blocks.length === 0;
  page.epochMs = epochMs;
  page.blocks = data.blocks.data;
  showTiles(data);
  showAge();
  showRates();
  showLists(data);
  if (page.range === "blocks" || isFirst) await showCharts();
}

function showState() {
  const state = byId("status");
  state.dataset.state = page.isLive ? "live" : "polling";
  state.textContent = page.isLive ? words("live") : words("polling", { interval: format.duration(POLL_MS / 1_000) });
}

/** Runs one of the above, and shows its error. */
async function run(work) {
  try {
    await work();
    byId("failure").hidden = true;
    showState();
    return true;
  } catch (error) {
    byId("failure").textContent = error.message;
    byId("failure").hidden = false;
    byId("status").dataset.state = "offline";
    if (!(error instanceof ForbiddenError)) return true;
    const signIn = byId("sign-in");
    if (signIn) signIn.hidden = false;
    return false;
  }
}

const refreshing = { isUnderWay: false, isWanted: false };

/** Refreshes: once for all events of a moment, and not before the last response has arrived. */
async function refresh() {
  refreshing.isWanted = true;
  if (refreshing.isUnderWay) return;
  refreshing.isUnderWay = true;
  while (refreshing.isWanted) {
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    refreshing.isWanted = false;
    await run(showLive);
  }
  refreshing.isUnderWay = false;
}

/** Draws the first page, and lets it follow the chain. */
export async function startDashboard() {
  for (const choice of document.querySelectorAll("input[name=range]")) {
    choice.addEventListener("change", () => {
      page.range = choice.value;
      void run(showCharts);
    });
  }
  if ((await Promise.all([run(showNode), run(showLive)])).includes(false)) return;
  await ask("currency").then(
    ({ currency }) => {
      page.divisibility = currency.divisibility;
    },
    () => undefined,
  );
  listen(CHANNELS, refresh, (isLive) => {
    page.isLive = isLive;
    showState();
    if (!isLive) refresh();
  });
  setInterval(refresh, POLL_MS);
  setInterval(showAge, 1_000);
  await showFees();
  setInterval(showFees, SLOW_POLL_MS);
  setInterval(() => run(showNode), SLOW_POLL_MS);
  setInterval(() => page.range !== "blocks" && run(showCharts), SLOW_POLL_MS);
}
