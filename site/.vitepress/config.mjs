import { defineConfig } from "vitepress";

/** Where the files outside of docs/ can be read, such as https://example.test/owner/symbol-gateway/blob/main. */
const source = process.env.SOURCE_URL;

const page = (text, link) => ({ text, link });

export default defineConfig({
  title: "symbol-gateway",
  description: "Indexer and API gateway for the Symbol blockchain",
  // A copy of docs/: Vue is found from here.
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  // Links out of docs/ lead to the source; test/house/links.test.ts checks that their files exist.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//],
  markdown: {
    config(markdown) {
      markdown.core.ruler.push("source-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          if (source && href?.startsWith("../")) token.attrSet("href", `${source}/${href.slice("../".length)}`);
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      {
        text: "Begin",
        items: [
          page("Your first transaction", "/first-transaction"),
          page("Which interface do I choose?", "/choosing"),
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
          page("Settings", "/settings"),
          page("Performance", "/performance"),
          page("Versions", "/versions"),
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
          page("Consensus", "/evidence/consensus"),
          page("Specification", "/evidence/spec"),
        ],
      },
    ],
  },
});
