import { escapeHtml } from "../http/plain-page.js";
import { filled, type Texts } from "../languages/languages.js";

/** Destinations after sign-in: paths relative to the page. */
export const DESTINATIONS = ["explorer", "graphql"] as const;
export type Destination = (typeof DESTINATIONS)[number];

/**
 * The page on which a browser sends the token.
 * @param root the way to the root of the gateway
 * @param to destination after sign-in
 * @param problem what was wrong with the last attempt, if there was one
 */
export function signInPage({ plain }: Texts, root: string, to: Destination, problem?: string): string {
  const notice = problem === undefined ? "" : `<p role="alert">${escapeHtml(problem)}</p>`;
  return `${notice}
<form method="post" action="${root}sign-in">
  <input type="hidden" name="to" value="${to}">
  <label>${plain.token}
    <input type="password" name="token" autocomplete="current-password" required autofocus></label>
  <button type="submit">${plain.signIn}</button>
</form>`;
}

/** The same page for a browser that is signed in. */
export function signedInPage({ plain }: Texts): string {
  const links = {
    explorer: `<a href="explorer">${plain.explorer}</a>`,
    graphql: '<a href="graphql">GraphiQL</a>',
  };
  return `<p>${filled(plain.signedIn, links)}</p>
<form method="post" action="sign-out"><button type="submit">${plain.signOut}</button></form>`;
}
