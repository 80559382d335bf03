import { posix } from "node:path";
import { defineConfig } from "vitepress";

/** Where the files outside of docs/ can be read, such as https://example.test/owner/symbol-gateway/blob/main. */
const source = process.env.SOURCE_URL;
const repository = source?.replace(/\/blob\/.*$/, "");

const page = (text, link) => ({ text, link });

export default defineConfig({
  title: "symbol-gateway",
  description: "Indexer and API gateway for the Symbol blockchain",
  // A copy of docs/: Vue is found from here.
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  // Links out of docs/ lead to the source, or nowhere if that is unknown; test/house/links.test.ts checks that their
  // files exist.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//],
  markdown: {
    config(markdown) {
      markdown.core.ruler.push("source-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const path = posix.join(posix.dirname(env.relativePath), token.attrGet("href") ?? "");
          if (!path.startsWith("../")) continue;
          if (source) token.attrSet("href", `${source}/${path.slice("../".length)}`);
          else token.attrs = null;
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    ...(repository && { nav: [{ text: "Repository", link: repository }] }),
    sidebar: [
      {
        text: "Begin",
        items: [
          page("Your first transaction", "/first-transaction"),
          page("Which interface do I choose?", "/choosing"),
          page("Glossary", "/glossary"),
        ],
      },
      {
        text: "Use it",
        items: [
          page("REST", "/rest"),
          page("WebSocket and events", "/websocket"),
          page("GraphQL", "/graphql"),
          page("SQL", "/sql"),
          page("Failures", "/failures"),
          page("List an exchange", "/exchange"),
          page("Mesh (Rosetta)", "/mesh"),
          page("Webhooks", "/webhooks"),
          page("Client", "/client"),
          page("Explorer", "/explorer"),
          page("From catapult-rest", "/from-catapult-rest"),
        ],
      },
      {
        text: "Operate it",
        items: [
          page("Operations", "/operations"),
          page("Which machine?", "/sizing"),
          page("A node of Shoestring", "/shoestring"),
          page("Settings", "/settings"),
          page("Performance", "/performance"),
          page("Versions", "/versions"),
          page("What is tried", "/tried"),
        ],
      },
      {
        text: "Change it",
        items: [
          page("Architecture", "/architecture"),
          page("Tables", "/schema"),
          page("Changing it", "/changing"),
          page("Development node", "/devnet"),
        ],
      },
      {
        text: "Evidence",
        collapsed: true,
        items: [
          page("Attacks", "/evidence/attacks"),
          page("Limits", "/evidence/limits"),
          page("Benchmarks", "/evidence/results"),
          page("Consensus", "/evidence/consensus"),
          page("Specification", "/evidence/spec"),
        ],
      },
    ],
  },
});
