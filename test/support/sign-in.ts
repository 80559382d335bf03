/** Sends a gateway its token as a browser does, and returns the session cookie. @throws Error when it is rejected */
export async function signIn(url: string, token: string): Promise<string> {
  const { status, headers } = await postToken(url, token);
  const [cookie] = headers.getSetCookie();
  if (status !== 303 || !cookie) throw new Error(`Signing in gave ${status}`);
  return cookie.split(";", 1)[0] ?? "";
}

/** A gateway's answer to the form of its sign-in page. */
export function postToken(
  url: string,
  token: string,
  { to = "explorer", ...headers }: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams({ token, to });
  return fetch(`${url}/sign-in`, { method: "POST", body, headers, redirect: "manual" });
}
