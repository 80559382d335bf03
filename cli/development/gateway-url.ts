import type { Settings } from "../settings/settings.js";

/** URL of a gateway with these settings on this machine, without a trailing slash. */
export function gatewayUrlOf({
  HOST: host,
  PORT: port,
  TLS_CERTIFICATE_FILE: certificateFile,
}: Pick<Settings, "HOST" | "PORT" | "TLS_CERTIFICATE_FILE">): string {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const name = isAnyAddress ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http${certificateFile === undefined ? "" : "s"}://${name}:${port}`;
}
