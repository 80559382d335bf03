import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import { readExpiry } from "../../catapult/certificate/certificate-chain.js";
import { describeFileError } from "../../catapult/files/file-error.js";
import { webSocketsOnly } from "./upgrade.js";

/** Files of the HTTPS certificate. */
export interface TlsFiles {
  /** PEM: the certificate, then its chain. */
  readonly certificateFile: string;
  /** PEM: the certificate's private key, not encrypted. */
  readonly keyFile: string;
  /** Interval between two checks for changed files, in ms; default 5,000. */
  readonly watchIntervalMs?: number | undefined;
}

/** Certificate and key cannot be used; the message names the files and says why. */
export class TlsFilesError extends Error {
  override readonly name = "TlsFilesError";
}

/** A server, and a function that stops watching its files. */
export interface WatchedServer {
  readonly server: Server;
  /** Unix seconds at which its certificate expires; undefined without one. */
  certificateExpiry(): number | undefined;
  /** Stops watching the files. */
  release(): void;
}

const WATCH_INTERVAL_MS = 5_000;

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * An HTTP server, or with `files` an HTTPS server, TLS 1.2 or later. When a file changes, both are reloaded, so that
 * new connections use a renewed certificate; while they do not match, the old pair stays.
 * @throws TlsFilesError
 */
export function createWebServer(
  options: ServerOptions,
  listener: RequestListener,
  files: TlsFiles | undefined,
  log: Logger,
): WatchedServer {
  const all = { ...options, ...webSocketsOnly };
  if (!files)
    return { server: createHttpServer(all, listener), certificateExpiry: () => undefined, release: () => undefined };
  let pair = readPair(files);
  const server = createHttpsServer({ ...all, ...pair, minVersion: "TLSv1.2" }, listener);
  const renew = (renewed: Pair) => {
    server.setSecureContext({ ...renewed, minVersion: "TLSv1.2" });
    pair = renewed;
  };
  return {
    server: server as unknown as Server,
    certificateExpiry: () => readExpiry(pair.cert),
    release: followFiles(files, renew, log),
  };
}

/** Reads the files of a certificate as a server does. @throws TlsFilesError when they cannot be used */
export function checkTlsFiles(files: TlsFiles): void {
  readPair(files);
}

function readPair({ certificateFile, keyFile }: TlsFiles): Pair {
  try {
    const pair = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
    createSecureContext(pair);
    // OpenSSL accepts a key of another kind than the certificate's (EC beside RSA), and then fails each handshake.
    if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)))
      throw new Error("key values mismatch");
    return pair;
  } catch (error) {
    const files = `the certificate ${certificateFile} with the key ${keyFile}`;
    throw new TlsFilesError(`${files} cannot be used: ${describeFileError(error)}`, { cause: error });
  }
}

/** Polls the files instead of watching them: renewals often replace a link to their folder. */
function followFiles(files: TlsFiles, renew: (pair: Pair) => void, log: Logger): () => void {
  const { certificateFile, keyFile, watchIntervalMs: interval = WATCH_INTERVAL_MS } = files;
  const reload = (): void => {
    try {
      renew(readPair(files));
      log.info({ certificateFile }, "Reloaded the TLS certificate");
    } catch (err) {
      log.error({ err, certificateFile, keyFile }, "Cannot use the new TLS certificate; keeping the old one");
    }
  };
  for (const file of [certificateFile, keyFile]) watchFile(file, { interval, persistent: false }, reload);
  return () => {
    for (const file of [certificateFile, keyFile]) unwatchFile(file, reload);
  };
}
