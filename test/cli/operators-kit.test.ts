import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse, stringify } from "yaml";
import { skip } from "../support/skipped.js";
import { lacking, type Tool } from "../support/tools.js";

const ROOT = new URL("../../../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), "utf8");
const pathOf = (name: string) => fileURLToPath(new URL(name, ROOT));
const CHART = "deploy/helm/symbol-gateway";
const HIGHEST_EXPOSURE = 4;

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly annotations: { readonly summary: string };
}

const compose = parse(read("deploy/compose.yaml"), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const gateways = services.filter(([name]) => name.startsWith("gateway-"));

/** Runs a test with a program if it is installed. */
function testWith(program: Tool, name: string, run: () => void): void {
  if (spawnSync(program, ["--help"]).error) skip(name, lacking(program));
  else test(name, run);
}

function output(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...process.env, ...env } });
  expect({ program, args, status, stderr: status === 0 ? "" : stderr }).toEqual({
    program,
    args,
    status: 0,
    stderr: "",
  });
  return stdout;
}

describe("compose.yaml", () => {
  test("mounts files that exist, secrets that it declares, and volumes that it declares", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((mount) => mount.split(":")[0]!));
    const files = mounts.filter((mount) => mount.startsWith("."));
    expect(files.length).toBeGreaterThan(4);
    expect(files.filter((file) => !existsSync(new URL(file, new URL("deploy/", ROOT))))).toEqual([]);
    const named = mounts.filter((mount) => /^\w+$/.test(mount));
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([]);
    const secrets = services.flatMap(([, { secrets: used = [] }]) => used);
    expect([...new Set(secrets)].sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const [name, { environment = {} }] of services) {
      const inFiles = Object.values(environment).filter((value) => value.startsWith("/run/secrets/"));
      const given = compose.services[name]?.secrets ?? [];
      expect({ name, lacks: inFiles.filter((file) => !given.includes(file.slice("/run/secrets/".length))) }).toEqual({
        name,
        lacks: [],
      });
    }
  });

  test("has gateways of their own ports, which Caddy and Prometheus know", () => {
    const ports = gateways.map(([, { environment }]) => environment?.PORT);
    expect(ports).toEqual(["3000", "3001"]);
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    expect(read("deploy/caddy/Caddyfile")).toContain(`reverse_proxy ${addresses.join(" ")} {`);
    const { scrape_configs: jobs } = parse(read("deploy/prometheus/prometheus.yaml"));
    const indexer = compose.services.indexer?.environment?.INDEXER_METRICS_PORT;
    expect(jobs.map((job: { static_configs: [{ targets: string[] }] }) => job.static_configs[0].targets)).toEqual([
      addresses,
      [`127.0.0.1:${indexer}`],
      ["127.0.0.1:9100"],
    ]);
  });

  test("has no secret in the environment of a program", () => {
    const settings = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const open = settings.filter(([name, value]) => /PASSWORD|TOKEN/.test(name) && !value.startsWith("/run/secrets/"));
    expect(open).toEqual([]);
  });
});

test("operations.md says of each alert what to do; the chart has the same file", () => {
  const rules = (parse(read("deploy/prometheus/rules.yaml")) as { groups: [{ rules: Rule[] }] }).groups[0].rules;
  const [, table = ""] =
    /\| alert \| what to do \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read("docs/operations.md")) ?? [];
  const documented = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, title]) => title);
  expect(documented.length).toBeGreaterThan(8);
  const ofTable = rules.filter(({ alert }) => alert !== "TargetDown");
  expect(ofTable.map((rule) => rule.annotations.summary)).toEqual(documented);
  expect(read(`${CHART}/rules.yaml`)).toBe(read("deploy/prometheus/rules.yaml"));
});

describe("other programs accept", () => {
  const units = ["check", "indexer", "migrate"].map((name) => `symbol-gateway-${name}`).concat("symbol-gateway@");

  testWith("systemd-analyze", `units with an exposure of at most ${HIGHEST_EXPOSURE}`, () => {
    for (const unit of units) {
      const args = ["security", "--offline=true", "--no-pager", pathOf(`deploy/${unit}.service`)];
      const text = spawnSync("systemd-analyze", args, { encoding: "utf8" }).stdout;
      const [, exposure] = /Overall exposure level for .*: ([\d.]+) /.exec(text) ?? [];
      expect({ unit, exposure: Number(exposure) <= HIGHEST_EXPOSURE }).toEqual({ unit, exposure: true });
    }
  });

  testWith("promtool", "the configuration and the rules of Prometheus", () => {
    const [{ rules }] = (parse(read("deploy/prometheus/rules.yaml")) as { groups: [{ rules: Rule[] }] }).groups;
    expect(output("promtool", ["check", "config", pathOf("deploy/prometheus/prometheus.yaml")])).toContain(
      `${rules.length} rules`,
    );
  });

  testWith("promtool", "that no alert fires because of a start", () => {
    const series = (instance: string, values: string) => ({
      series: `symbol_gateway_node_height{instance="${instance}"}`,
      values,
    });
    const alert = {
      exp_labels: { severity: "warning", instance: "stuck" },
      exp_annotations: { summary: "the node does not advance", description: "check the node" },
    };
    const alertname = "TheNodeDoesNotAdvance";
    const file = path.join(mkdtempSync(path.join(tmpdir(), "rules-")), "test.yaml");
    const tests = [
      {
        interval: "1m",
        input_series: [series("stuck", "5x40"), series("advancing", "5+1x40")],
        alert_rule_test: [
          { eval_time: "2m", alertname, exp_alerts: [] },
          { eval_time: "20m", alertname, exp_alerts: [alert] },
        ],
      },
    ];
    writeFileSync(file, stringify({ rule_files: [pathOf("deploy/prometheus/rules.yaml")], tests }));
    output("promtool", ["test", "rules", file]);
    rmSync(path.dirname(file), { recursive: true });
  });

  testWith("caddy", "the Caddyfile", () => {
    const config = ["--adapter", "caddyfile", "--config", pathOf("deploy/caddy/Caddyfile")];
    output("caddy", ["validate", ...config], { DOMAIN: "localhost" });
  });

  testWith("helm", "the chart, whose programs have only settings that there are", () => {
    const template = (...values: string[]) =>
      output("helm", [
        "template",
        "chain",
        pathOf(CHART),
        "--kube-version",
        "1.32.0",
        ...values.flatMap((v) => ["--set", v]),
      ]);
    output("helm", ["lint", pathOf(CHART), "--set", "nodes=node:7900"]);
    expect(template("nodes=node:7900")).toContain("kind: Cluster");
    const behind = ["nodes=node:7900", "monitoring.enabled=true", "ingress.enabled=true", "ingress.host=h.example"];
    const whole = template(...behind, "gateway.trustedProxies=10.42.0.0/16", "image.digest=sha256:abc");
    expect(whole).toContain("alert: TargetDown");
    expect(whole).toContain('{ name: TRUSTED_PROXIES, value: "10.42.0.0/16" }');
    expect(whole).toContain("image: symbol-gateway@sha256:abc");
    const parts = whole.split("\n---\n").map((text) => parse(text) as { kind: string; spec: { podSelector?: object } });
    const policies = parts.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.every(({ spec }) => spec.podSelector)).toBe(true);
    expect(policies).toHaveLength(2);
    // Without the addresses of the proxy all clients would count as one.
    const open = [
      "template",
      "chain",
      pathOf(CHART),
      "--kube-version",
      "1.32.0",
      ...behind.flatMap((v) => ["--set", v]),
    ];
    expect(spawnSync("helm", open, { encoding: "utf8" }).stderr).toContain("gateway.trustedProxies is required");
    const own = template("nodes=node:7900", "postgresql.enabled=false", "postgresql.external.existingSecret=pg");
    expect(own).not.toContain("kind: Cluster");
    expect(spawnSync("helm", ["template", "chain", pathOf(CHART), "--kube-version", "1.32.0"]).status).not.toBe(0);
  });
});
