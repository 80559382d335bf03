import { duration } from "./format.js";
import { listen } from "./graphql.js";
import { at, pageOf, root } from "./place.js";
import "./suggestions.js";
import { html, render, useEffect, useState } from "htm/preact/standalone";
import { readChain } from "./chain.js";
import { LISTS } from "./lists.js";
import { Heading, keyProblem } from "./page.js";
import { AccountPage } from "./pages/account.js";
import { BlockPage } from "./pages/block.js";
import { HarvestersPage } from "./pages/harvesters.js";
import { HomePage } from "./pages/home.js";
import { ListPage } from "./pages/list.js";
import { MosaicPage } from "./pages/mosaic.js";
import { NamespacePage } from "./pages/namespace.js";
import { NetworkPage } from "./pages/network.js";
import { NodePage } from "./pages/node.js";
import { NodesPage } from "./pages/nodes.js";
import { SearchPage } from "./pages/search.js";
import { TransactionPage } from "./pages/transaction.js";
import { rememberLanguage, words } from "./words.js";

// Chooses the page by the path, `explorer/<kind>/<key>` or `explorer/<list>`, and lets it follow the chain.

const PAGES = {
  "": HomePage,
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
/** Events after which a page may show something else. */
const CHANNELS = ["block", "finalizedBlock", "droppedBlocks", "unconfirmedAdded", "partialAdded", "cosignature"];
/** Events of a block arrive together, so one refresh serves them. */
const GATHER_MS = 300;
/** Interval without events. */
const POLL_MS = 15_000;

function readPlace() {
  const [kind, key = ""] = location.pathname.slice(root.pathname.length + "explorer/".length).split("/");
  return { kind, key: decodeURIComponent(key).normalize("NFKC") };
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
  const problem = keyProblem(kind, pageKey);
  if (isThere && problem) return html`<${Heading} kind=${kind} text=${pageKey} /><p id="missing">${problem}</p>`;
  return isThere ? html`<${Page} kind=${kind} id=${pageKey} version=${version} />` : html`<${NoPage} />`;
}

const NoPage = () => html`
  <${Heading} kind="page" text=${words("pageNotFound")} />
  <p id="missing">${words("noPage", { home: html`<a href=${at("explorer")}>${words("firstPage")}</a>` })}</p>`;

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
  status.textContent = isLive ? words("live") : words("polling", { interval: duration(POLL_MS / 1_000) });
}

/** Draws the page that the address names. */
async function start() {
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

document.getElementById("language").addEventListener("change", ({ target }) => {
  rememberLanguage(target.value, root.pathname);
  location.reload();
});
await start();
