import type { Settings } from "../settings/settings.js";

/** URL of a gateway with these settings on this machine, without a trailing slash. */
export function makeGatewayUrl({
  HOST: host,
  PORT: port,
  TLS_CERTIFICATE_FILE: certificateFile,
}: Pick<Settings, "HOST" | "PORT" | "TLS_CERTIFICATE_FILE">): string {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  return `http${certificateFile === undefined ? "" : "s"}://${isAnyAddress ? "localhost" : inUrl(host)}:${port}`;
}

/** A host as it is written before a port: an IPv6 address in brackets. */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
