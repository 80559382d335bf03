import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { SUPPORTED_NODES } from "../../cli/process/node-version.js";
import { longestStopMs } from "../../cli/process/shutdown.js";
import { usageExitCode } from "../../cli/process/usage-error.js";
import { describeSettings, secretNames } from "../../cli/settings/settings.js";
import { startProcess } from "../support/process.js";
import { skip } from "../support/skipped.js";
import { lacking } from "../support/tools.js";

const root = new URL("../../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");

const settings = new Set([
  ...describeSettings().map(({ name }) => name),
  ...secretNames().map((name) => `${name}_FILE`),
]);
const files = readdirSync(new URL("deploy/", root), { recursive: true, encoding: "utf8", withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.posix.join(path.relative(fileURLToPath(root), entry.parentPath), entry.name));
const units = files.filter((name) => name.endsWith(".service"));

/** Settings of other programs, of node itself, of OpenTelemetry, and of the tests. */
const foreign = new Set([
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER",
  "TEST_POSTGRES_URL",
  "NODE_ENV",
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "POSTGRES_USER",
  "ON_ERROR_STOP",
  "POSTGRES_PASSWORD",
  "SYMBOL_GATEWAY_USER",
  "SYMBOL_GATEWAY_IMAGE",
  "CAP_NET_BIND_SERVICE",
  "AF_INET",
  "AF_UNIX",
  "AF_NETLINK",
  "POSTGRES_PASSWORD_FILE",
  "GF_SERVER_HTTP_ADDR",
  "GF_SERVER_HTTP_PORT",
  "GF_SECURITY_ADMIN_PASSWORD",
  "ATTACK_NODES_MS",
  "ATTACK_NODES_AT_ONCE",
]);

async function commandsOfProgram(): Promise<Set<string>> {
  const program = startProcess(["--help"]);
  await program.exited;
  return new Set([...program.output.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1]!));
}

async function helpOf(command: string): Promise<string> {
  const program = startProcess([command, "--help"]);
  await program.exited;
  return program.output;
}

/** Numbers in a file, in the first group of a pattern. */
const figures = (name: string, pattern: RegExp) => [...read(name).matchAll(pattern)].map((match) => Number(match[1]));

describe("the files for running it as a service", () => {
  test("name existing commands", async () => {
    const known = await commandsOfProgram();
    const named = [
      ...units.map((name) => /ExecStart=.*dist\/cli\/main\.js (\w+)/.exec(read(name))?.[1]),
      ...[...read("deploy/compose.yaml").matchAll(/^ {4}command: (\w+)/gm)].map((match) => match[1]),
      ...[...read("docs/operations.md").matchAll(/symbol-gateway (\w+)/g)].map((match) => match[1]),
      ...[...read("Dockerfile").matchAll(/CMD \["(\w+)"\]/g)].map((match) => match[1]),
    ];
    expect(named.length).toBeGreaterThan(10);
    const program = /^(is|as|already|ends)$/;
    expect(named.filter((name) => !name || (!known.has(name) && !program.test(name)))).toEqual([]);
  });

  test.each([...files, "Dockerfile", "docs/operations.md"])("%s names settings that there are", (name) => {
    const named = read(name).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
    expect(named.filter((setting) => !settings.has(setting) && !foreign.has(setting))).toEqual([]);
  });

  test("give commands existing options", async () => {
    for (const name of units) {
      const [, command = "", rest = ""] = /ExecStart=.*dist\/cli\/main\.js (\w+)(.*)/.exec(read(name)) ?? [];
      for (const [option] of rest.matchAll(/--[\w-]+/g)) {
        expect({ name, option, help: await helpOf(command) }).toMatchObject({ help: expect.stringContaining(option) });
      }
    }
  });

  test("wait for a stop longer than it may take, and have the exit code after which a restart is useless", () => {
    const waits = [
      ...units.flatMap((name) => figures(name, /^TimeoutStopSec=(\d+)$/gm)),
      ...figures("deploy/compose.yaml", /stop_grace_period: (\d+)s/g),
    ];
    expect(waits.length).toBeGreaterThan(2);
    expect(Math.min(...waits) * 1_000).toBeGreaterThan(longestStopMs);
    expect(figures("docs/operations.md", /within (\d+) s\./g)).toContain(longestStopMs / 1_000);
    const codes = units.flatMap((name) => figures(name, /^RestartPreventExitStatus=(\d+)$/gm));
    expect(codes).toEqual(codes.map(() => usageExitCode));
  });

  test("give all programs that talk to a node one certificate, and a folder for it", () => {
    const folders = units
      .filter((name) => !read(name).includes("main.js migrate"))
      .map((name) => /^StateDirectory=(.*)$/m.exec(read(name))?.[1]);
    expect(folders).toEqual(["symbol-gateway", "symbol-gateway", "symbol-gateway"]);
    expect(read("deploy/settings.env")).toMatch(/^CATAPULT_TLS_DIR=\/var\/lib\/symbol-gateway\/tls$/m);
    expect(units.filter((name) => /CATAPULT_TLS_DIR|DATA_DIR/.test(read(name)))).toEqual([]);
    expect(read("Dockerfile")).toMatch(/^ENV .*CATAPULT_TLS_DIR=\/var\/lib\/symbol-gateway\/tls/m);
    expect(read("deploy/compose.yaml").match(/certificate}:\/var\/lib\/symbol-gateway\/tls/g)).toHaveLength(1);
  });

  test("name the default port, and a supported version of Node", () => {
    const port = Number(describeSettings().find(({ name }) => name === "PORT")?.default);
    expect(figures("Dockerfile", /^EXPOSE (\d+)$/gm)).toEqual([port]);
    const { dependencies } = JSON.parse(read("package.json")) as {
      dependencies: Record<string, string>;
    };
    for (const major of figures("Dockerfile", /^FROM node:(\d+)/gm)) expect(SUPPORTED_NODES).toContain(major);
    expect(read("README.md")).toContain(`Node ${SUPPORTED_NODES.join(", ").replace(/, (\d+)$/, " or $1")} and npm`);
    expect(packagesOf(new URL("dist/", root))).toEqual(
      packagesOf(new URL("dist/", root)).filter((name) => name in dependencies),
    );
  });

  const UNITS = "units are ones that systemd understands";
  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  if (!hasSystemd) skip(UNITS, lacking("systemd-analyze"));
  else
    test(UNITS, () => {
      const { status, stderr } = spawnSync("systemd-analyze", [
        "verify",
        ...files.filter((name) => /\.(service|timer)$/.test(name)).map((name) => fileURLToPath(new URL(name, root))),
      ]);
      expect({
        status,
        told: String(stderr)
          .replaceAll(/^.*(?:Failed to|Command ).*$/gm, "")
          .trim(),
      }).toEqual({ status: 0, told: "" });
    });
});

/** Names of the packages that compiled files import. */
function packagesOf(folder: URL): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js") || file.startsWith("test/")) continue;
    for (const [, name = ""] of readFileSync(new URL(file, folder), "utf8").matchAll(
      /^(?:import|export) .*?from "([^."][^"]*)";$/gm,
    )) {
      if (!name.startsWith("node:")) found.add(name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return [...found].sort();
}
