import express, { type IRouter, type Request, type RequestHandler, type Response } from "express";
import { ApiError, errorCodes } from "../../schema/errors/errors.js";
import { tooManyRequests } from "../clients/clients.js";
import { exchangeOf, markRoute } from "../http/exchange.js";
import { otherMethods } from "../http/other-methods.js";
import { rootOf, sendPlainPage, wantsPage } from "../http/plain-page.js";
import { filled, type Texts } from "../languages/languages.js";
import { type Access, identifyGuesser } from "./access.js";
import { isFromOtherOrigin, isOverTls } from "./origin.js";
import { endSession, type Sessions } from "./session.js";
import { DESTINATIONS, type Destination, signedInPage, signInPage } from "./sign-in-page.js";

const SIGN_IN_PATH = "/sign-in";
const SIGN_OUT_PATH = "/sign-out";
/** Maximum size of the form, in bytes. */
const FORM_BYTES = 8_192;

/**
 * Serves `/sign-in`, where a browser sends the token and gets a session, and `/sign-out`. Without a token, these
 * routes do not exist.
 * @param routerOf the router of a path
 */
export function serveSignIn(routerOf: (path: string) => IRouter, access: Access): void {
  const { sessions } = access;
  if (!sessions) return;
  const form = [requireOwnPage, express.urlencoded({ extended: false, limit: FORM_BYTES, type: () => true })];
  routerOf(SIGN_IN_PATH)
    .route(SIGN_IN_PATH)
    .all(markRoute(SIGN_IN_PATH))
    .get((request, response) => {
      const isSignedIn = sessions.nameOf(request) !== undefined;
      return sendPage(request, response, 200, (texts) =>
        isSignedIn ? signedInPage(texts) : signInPage(texts, rootOf(request), "explorer"),
      );
    })
    .post(...form, signIn(access, sessions))
    .all(otherMethods(["GET", "HEAD", "POST"]));
  routerOf(SIGN_OUT_PATH)
    .route(SIGN_OUT_PATH)
    .all(markRoute(SIGN_OUT_PATH))
    .post(requireOwnPage, (request, response) => {
      response.setHeader("Set-Cookie", endSession(isSecure(request)));
      response.redirect(303, "sign-in");
    })
    .all(otherMethods(["POST"]));
}

/** Sends an error or, if the client is a browser that wants a page, the sign-in page; without sessions, the reason. */
export async function sendForbidden(
  request: Request,
  response: Response,
  access: Access,
  to: Destination,
): Promise<void> {
  const error = access.forbidden(request);
  if (!wantsPage(request)) throw error;
  await sendPage(request, response, errorCodes[error.code].status, (texts) => {
    if (access.sessions) return signInPage(texts, rootOf(request), to);
    return `<p role="alert">${access.isClosed ? texts.plain.disabled : texts.plain.localOnly}</p>`;
  });
}

function signIn(access: Access, sessions: Sessions): RequestHandler {
  return async (request, response) => {
    const { token, to } = (request.body ?? {}) as Record<string, unknown>;
    const destination = DESTINATIONS.find((one) => one === to) ?? "explorer";
    const name = typeof token === "string" ? access.nameOf(token) : undefined;
    if (name === undefined) {
      const waitSeconds = access.attempts.take(identifyGuesser(request, exchangeOf(response).client));
      if (waitSeconds === undefined) {
        const error = new ApiError("Forbidden", "the token is wrong");
        return rejectOnPage(request, response, error, destination, ({ plain }) => plain.wrongToken);
      }
      response.setHeader("Retry-After", waitSeconds);
      return rejectOnPage(request, response, tooManyRequests(waitSeconds), destination, ({ plain }) =>
        filled(plain.tooMany, { seconds: String(waitSeconds) }),
      );
    }
    response.setHeader("Set-Cookie", sessions.begin(name, isSecure(request)));
    response.redirect(303, destination);
  };
}

/** A page that a browser has loaded over TLS says so too. */
const isSecure = (request: Request) => isOverTls(request) || /^https:/.test(request.headers.origin ?? "");

const requireOwnPage: RequestHandler = (request, _response, next) => {
  if (!isFromOtherOrigin(request)) return next();
  throw new ApiError("Forbidden", "this form belongs to another origin; a proxy in front must pass Host unchanged");
};

/** @throws the error itself if the client does not want a page */
async function rejectOnPage(
  request: Request,
  response: Response,
  error: ApiError,
  to: Destination,
  problemOf: (texts: Texts) => string,
): Promise<void> {
  if (!wantsPage(request)) throw error;
  await sendPage(request, response, errorCodes[error.code].status, (texts) =>
    signInPage(texts, rootOf(request), to, problemOf(texts)),
  );
}

const sendPage = (request: Request, response: Response, status: number, contentOf: (texts: Texts) => string) =>
  sendPlainPage(request, response, status, (texts) => ({ title: texts.plain.title, content: contentOf(texts) }));
