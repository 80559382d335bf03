import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "./free-port.js";
import type { Tool } from "./tools.js";
import { until } from "./until.js";

/** A program that forwards requests, and how a test configures it. */
export interface ReverseProxy {
  /** Of its program. */
  readonly name: Tool;
  readonly args: (folder: string, file: string) => readonly string[];
  readonly configuration: (folder: string, port: number, gatewayPort: number) => string;
}

/** A proxy that runs. */
export interface RunningProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** The first lines of a configuration of nginx, and the temporary folders of its `http` block. */
export const nginxStart = (folder: string) =>
  `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;\nevents {}\n`;
export const nginxFolders = (folder: string) =>
  ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ");
export const nginxArgs = (folder: string, file: string) => ["-e", "stderr", "-p", folder, "-c", file];

/**
 * Starts a proxy in front of a port.
 * @param isUp whether the proxy at a port answers
 * @throws Error with its output when it ends
 */
export async function startProxy(
  { name, args, configuration }: ReverseProxy,
  program: string,
  gatewayUrl: string,
  isUp: (port: number) => Promise<boolean>,
): Promise<RunningProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), `symbol-gateway-${name}-`));
  const port = await freePort();
  const file = path.join(folder, "configuration");
  await writeFile(file, configuration(folder, port, Number(new URL(gatewayUrl).port)));
  let output = "";
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child: ChildProcess = spawn(program, args(folder, file), { stdio: ["ignore", "pipe", "pipe"], env });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
    return isUp(port).catch(() => false);
  }, `${name} answers`);
  return {
    port,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
