import { listen } from "../graphql.js";
import { at, pageOf, root } from "../place.js";
import "../suggestions.js";
import { readChain } from "./chain.js";
import { html, render, useEffect, useState } from "./library.js";
import { LISTS } from "./lists.js";
import { Heading, keyProblem } from "./page.js";
import { AccountPage } from "./pages/account.js";
import { BlockPage } from "./pages/block.js";
import { HarvestersPage } from "./pages/harvesters.js";
import { ListPage } from "./pages/list.js";
import { MosaicPage } from "./pages/mosaic.js";
import { NamespacePage } from "./pages/namespace.js";
import { NetworkPage } from "./pages/network.js";
import { NodePage } from "./pages/node.js";
import { NodesPage } from "./pages/nodes.js";
import { SearchPage } from "./pages/search.js";
import { TransactionPage } from "./pages/transaction.js";

// Chooses the page by the path, `dashboard/<kind>/<key>` or `dashboard/<list>`, and lets it follow the chain.

const PAGES = {
  block: BlockPage,
  transaction: TransactionPage,
  account: AccountPage,
  mosaic: MosaicPage,
  namespace: NamespacePage,
  node: NodePage,
  network: NetworkPage,
  search: SearchPage,
  harvesters: HarvestersPage,
  nodes: NodesPage,
  ...Object.fromEntries(Object.keys(LISTS).map((kind) => [kind, ListPage])),
};
/** What the pages with a key call theirs. */
const NOUNS = { block: "Block", transaction: "Transaction", account: "Account", mosaic: "Mosaic" };
/** Events after which a page may show something else. */
const CHANNELS = ["block", "finalizedBlock", "droppedBlocks", "unconfirmedAdded", "partialAdded", "cosignature"];
/** Events of a block arrive together, so one refresh serves them. */
const GATHER_MS = 300;
/** Interval without events. */
const POLL_MS = 15_000;

function readPlace() {
  const [kind, key = ""] = location.pathname.slice(root.pathname.length + "dashboard/".length).split("/");
  return { kind, key: decodeURIComponent(key) };
}

function Explorer({ kind, pageKey }) {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const refresh = gathered(() => setVersion((last) => last + 1));
    listen(CHANNELS, refresh, (isLive) => {
      showState(isLive);
      if (!isLive) refresh();
    });
    setInterval(refresh, POLL_MS);
  }, []);
  const Page = PAGES[kind];
  const isThere = Page && document.documentElement.dataset.missing === undefined;
  const problem = keyProblem(NOUNS[kind], pageKey);
  if (isThere && problem) return html`<${Heading} kind=${NOUNS[kind]} text=${pageKey} /><p id="missing">${problem}</p>`;
  return isThere ? html`<${Page} kind=${kind} id=${pageKey} version=${version} />` : html`<${NoPage} />`;
}

const NoPage = () => html`
  <${Heading} kind="Page" text="not found" />
  <p id="missing">There is no page with this address. The search above finds blocks, transactions, accounts, mosaics and
    namespaces; <a href=${at("dashboard")}>the dashboard</a> shows what the chain does now.</p>`;

/** Runs `work` once for all calls of a moment. */
function gathered(work) {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      work();
    }, GATHER_MS);
  };
}

function showState(isLive) {
  const status = document.getElementById("status");
  status.dataset.state = isLive ? "live" : "polling";
  status.textContent = isLive ? "live" : `polling every ${POLL_MS / 1_000} s`;
}

/** Draws the page that the address names. */
export async function startExplorer() {
  const { kind, key } = readPlace();
  const place = document.querySelector("main");
  await readChain().catch(() => undefined);
  // Addresses are written in many ways; the page of one address has one path.
  if (kind === "account" && /^[a-z2-7-]{39,46}$/i.test(key) && key !== key.toUpperCase().replaceAll("-", "")) {
    location.replace(pageOf(kind, key.toUpperCase().replaceAll("-", "")));
  } else {
    place.replaceChildren();
    render(html`<${Explorer} kind=${kind} pageKey=${key} />`, place);
  }
}
