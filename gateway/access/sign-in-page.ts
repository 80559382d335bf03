import { escapeHtml } from "../http/plain-page.js";

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
  return `${notice}
<form method="post" action="sign-in">
  <input type="hidden" name="to" value="${to}">
  <label>Your token for this gateway (GRAPHQL_TOKEN)
    <input type="password" name="token" autocomplete="current-password" required autofocus></label>
  <button type="submit">Sign in</button>
</form>`;
}

/** The same page for a browser that is signed in. */
export function signedInPage(): string {
  return `<p>You are signed in: <a href="dashboard">dashboard</a>, <a href="graphql">GraphiQL</a>.</p>
<form method="post" action="sign-out"><button type="submit">Sign out</button></form>`;
}
