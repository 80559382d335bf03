const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
label, input, button { display: block; font: inherit; margin: .5rem 0 } input { width: 100%; box-sizing: border-box; padding: .4rem }`;

/** No external resources, no scripts, and no framing by other pages. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Destinations after sign-in: paths relative to the page. */
export const DESTINATIONS = ["dashboard", "graphql"] as const;
export type Destination = (typeof DESTINATIONS)[number];

/**
 * The page on which a browser sends the token.
 * @param to destination after sign-in
 * @param problem what was wrong with the last attempt, if there was one
 */
export function signInPage(to: Destination, problem?: string): string {
  const notice = problem === undefined ? "" : `<p role="alert">${escapeHtml(problem)}</p>`;
  return page(`${notice}
<form method="post" action="sign-in">
  <input type="hidden" name="to" value="${to}">
  <label>Your token for this gateway (GRAPHQL_TOKEN)
    <input type="password" name="token" autocomplete="current-password" required autofocus></label>
  <button type="submit">Sign in</button>
</form>`);
}

/** The same page for a browser that is signed in. */
export function signedInPage(): string {
  return page(`<p>You are signed in: <a href="dashboard">dashboard</a>, <a href="graphql">GraphiQL</a>.</p>
<form method="post" action="sign-out"><button type="submit">Sign out</button></form>`);
}

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in to symbol-gateway</title>
<link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>
<h1>symbol-gateway</h1>
${content}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
