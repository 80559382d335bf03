import { LIST_FILTERS } from "../list-variables.ts";
import { plainKey } from "../typed-text.ts";
import { readChain } from "./chain.js";
import { listen, POLL_MS } from "./connection.js";
import { html, render, useEffect, useState } from "./dom.js";
import { Heading, keyProblem } from "./page.js";
import { AccountPage } from "./pages/account.js";
import { BlockPage } from "./pages/block.js";
import { ChartsPage } from "./pages/charts.js";
import { HomePage } from "./pages/home.js";
import { ListPage } from "./pages/list.js";
import { MosaicPage } from "./pages/mosaic.js";
import { NamespacePage } from "./pages/namespace.js";
import { NetworkPage } from "./pages/network.js";
import { NodePage } from "./pages/node.js";
import { SearchPage } from "./pages/search.js";
import { TransactionPage } from "./pages/transaction.js";
import { HarvestersPage, NodesPage } from "./pages/whole-list.js";
import { at, pageOf, root } from "./paths.js";
import "./suggestions.js";
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
  charts: ChartsPage,
  harvesters: HarvestersPage,
  nodes: NodesPage,
  ...Object.fromEntries(Object.keys(LIST_FILTERS).map((kind) => [kind, ListPage])),
};
/** Events after which a page may show something else. */
const CHANNELS = ["block", "finalizedBlock", "droppedBlocks", "unconfirmedAdded", "partialAdded", "cosignature"];
/** Events of a block arrive together, so one refresh serves them. */
const GATHER_MS = 300;

function readPath() {
  const [kind, key = ""] = location.pathname.slice(root.pathname.length + "explorer/".length).split("/");
  return { kind, key: decodeURIComponent(key) };
}

function Explorer({ kind, pageKey }) {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let isWaiting = false;
    const refresh = () => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        setVersion((last) => last + 1);
      }, GATHER_MS);
    };
    listen(CHANNELS, refresh);
    setInterval(refresh, POLL_MS);
  }, []);
  const Page = PAGES[kind];
  const isThere = Page && document.documentElement.dataset.missing === undefined;
  const problem = keyProblem(kind, pageKey);
  if (isThere && !problem) return html`<${Page} kind=${kind} id=${pageKey} version=${version} />`;
  const home = html`<a href=${at("explorer")}>${words("firstPage")}</a>`;
  return html`<${Heading} kind=${isThere ? kind : "page"} text=${isThere ? pageKey : words("pageNotFound")} />
    <p id="missing">${isThere ? problem : words("noPage", { home })}</p>`;
}

/** Draws the page that the address names. */
async function start() {
  const { kind, key } = readPath();
  const container = document.querySelector("main");
  await readChain();
  // Keys are written in many ways; the page of one thing has one address.
  const plain = plainKey(kind, key);
  if (plain !== key) return location.replace(pageOf(kind, plain));
  container.replaceChildren();
  render(html`<${Explorer} kind=${kind} pageKey=${key} />`, container);
}

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const isOpen = menu.getAttribute("aria-expanded") === "true";
  menu.setAttribute("aria-expanded", String(!isOpen));
  document.getElementById("navigation").classList.toggle("open", !isOpen);
});
for (const link of document.querySelectorAll("nav.main a"))
  if (link.href === at(`explorer/${readPath().kind}`)) link.setAttribute("aria-current", "page");
document.getElementById("language").addEventListener("change", ({ target }) => {
  rememberLanguage(target.value, root.pathname);
  location.reload();
});
void start();
