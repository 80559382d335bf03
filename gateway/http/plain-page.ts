import type { Request, Response } from "express";
import { filled, LANGUAGES, negotiateLanguage, type Texts } from "../languages/languages.js";
import { send } from "./send.js";

// Pages for people that need neither scripts nor files.

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; overflow-wrap: anywhere; color-scheme: light dark }
label, input, button { display: block; font: inherit; margin: .5rem 0 } input { width: 100%; box-sizing: border-box; padding: .4rem }`;

/** No external resources, no scripts, and no framing by other pages. */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Named by every browser that opens a page; the default lists of programs, such as Java's, have only the type of HTML. */
const OF_BROWSERS = "application/xhtml+xml";

/** Whether a browser wants a page; programs get JSON, unless they accept HTML alone. */
export function wantsPage(request: Request): boolean {
  if (request.accepts(["json", "html"]) !== "html") return false;
  return (request.headers.accept ?? "").includes(OF_BROWSERS) || request.accepts("json") === false;
}

/** The way to the root: the gateway may be served below a path that only the proxy knows, so links are relative. */
export const rootOf = ({ path }: Request): string => "../".repeat(path.split("/").length - 2) || "./";

/** Sends a page in the browser's language; its content is HTML. */
export function sendPlainPage(
  request: Request,
  response: Response,
  status: number,
  render: (texts: Texts) => { readonly title: string; readonly content: string },
): Promise<void> {
  const language = negotiateLanguage(request);
  const { title, content } = render(LANGUAGES[language]);
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const page = `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>
<main>
<h1>symbol-gateway</h1>
${content}
</main>
</body>
</html>
`;
  return send(request, response, status, page, "text/html; charset=utf-8");
}

/** The page of a path that does not exist. */
export function sendMissingPage(request: Request, response: Response): Promise<void> {
  const root = rootOf(request);
  return sendPlainPage(request, response, 404, ({ plain }) => {
    const links = {
      explorer: `<a href="${root}explorer">${plain.explorer}</a>`,
      reference: `<a href="${root}docs">${plain.reference}</a>`,
    };
    return { title: plain.notFoundTitle, content: `<p>${filled(plain.notFound, links)}</p>` };
  });
}

/** A text as HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
