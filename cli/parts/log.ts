import { type Logger, pino } from "pino";
import pretty from "pino-pretty";
import type { Settings } from "../settings/settings.js";

/** Fields whose values are never logged, at any depth. */
const secretFields = ["password", "token", "privateKey", "privateKeyPem", "authorization", "cookie"];
const secretPaths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/**
 * The log of one process, on stdout or stderr (1 or 2): lines of JSON, or coloured text in a terminal. Secret fields
 * and passwords in database URLs, also within messages of errors, are replaced by `***`.
 * @param name the part that logs; shown with every message
 */
export function createLog(name: string, settings: Pick<Settings, "LOG_LEVEL">, fd: 1 | 2 = 1): Logger {
  const { isTTY } = fd === 1 ? process.stdout : process.stderr;
  const options = {
    name,
    level: settings.LOG_LEVEL,
    redact: { paths: secretPaths, censor: "***" },
    hooks: { streamWrite: hidePasswords },
  };
  if (!isTTY) return pino(options, pino.destination({ fd, sync: true }));
  const stream = pretty({
    destination: fd,
    sync: true,
    colorize: true,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss.l",
    ignore: "pid,hostname",
  });
  return pino(options, stream);
}

/** Replaces the passwords of database URLs in any text: those before the host, and those in the query. */
export function hidePasswords(text: string): string {
  if (!text.includes("://")) return text;
  return text
    .replace(/(postgres(?:ql)?:\/\/[^\s:/@"]*):[^\s@/"]+@/g, "$1:***@")
    .replace(/(postgres(?:ql)?:\/\/[^\s"]*[?&]password=)[^\s&"]+/g, "$1***");
}
