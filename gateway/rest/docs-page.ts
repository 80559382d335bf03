import { errorCodes } from "../../schema/services/errors.js";
import type { Argument } from "./routes/argument.js";
import type { Route } from "./routes/route.js";

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
  code { font: 14px/1.4 ui-monospace, monospace }
  section { border-top: 1px solid #ddd; padding: .75rem 0 }
  h3 { margin: .25rem 0 } h3 b { display: inline-block; min-width: 3.5rem }
  table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .15rem 1.5rem .15rem 0 }
  @media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } section { border-color: #444 } a { color: #8bf } }`;

/** The routes as one page without scripts or external resources. */
export function renderDocsPage(routes: readonly Route[], version: string): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const codes = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) =>
      `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(meaning)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>symbol-gateway ${escapeHtml(version)}</title><style>${style}</style></head>
<body>
<h1>symbol-gateway ${escapeHtml(version)}</h1>
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a>. WebSocket: <code>/ws</code>. GraphQL: <code>/graphql</code>.</p>
${tags
  .map(
    (tag) =>
      `<h2>${escapeHtml(tag)}</h2>\n${routes
        .filter((route) => route.tag === tag)
        .map(renderRoute)
        .join("\n")}`,
  )
  .join("\n")}
<h2>Errors</h2>
<p>The body of every error is <code>{"code": …, "message": …}</code>.</p>
<table>${codes.join("")}</table>
</body>
</html>
`;
}

function renderRoute(route: Route): string {
  const rows = Object.entries(route.arguments).map(renderArgument);
  const table = rows.length === 0 ? "" : `<table>${rows.join("")}</table>`;
  return `<section id="${route.operationId}"><h3><b>${route.method}</b> <code>${escapeHtml(route.path)}</code></h3><p>${escapeHtml(route.summary)}</p>${table}</section>`;
}

function renderArgument([name, { place, required, list, description }]: [string, Argument<unknown>]): string {
  const notes = [place, required ? "required" : "", list ? "list" : ""].filter((note) => note !== "").join(", ");
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${notes}</td><td>${escapeHtml(description)}</td></tr>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
