import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { Properties } from "../../catapult/network/properties.js";
import { loadSettings } from "../../cli/settings/settings.js";
import { type Composition, mergeCompose, readCompose, type Service } from "../support/compose.js";
import { startProcess } from "../support/process.js";
import { patchProperties, renderCompose, shoestringProblem } from "../support/shoestring.js";
import { skip } from "../support/skipped.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { dataPath } from "../support/test-data.js";

const inDeploy = (name: string) => fileURLToPath(new URL(`../../../deploy/shoestring/${name}`, import.meta.url));
const USER = "24001:24001";
const VARIABLES = { SYMBOL_GATEWAY_USER: USER, POSTGRES_PASSWORD: "secret" };
/** The address that Shoestring's node trusts. */
const REST_API = "172.20.0.25";
/** Of Shoestring's rest-api and of the image. */
const OTHER_NAMES = ["HOME", "NODE_ENV"];

const NAME = "the files for a node of Shoestring";
if (shoestringProblem) skip(NAME, shoestringProblem);
else
  describe(NAME, () => {
    const folder = temporaryFolder();

    function merged(override: string, apiHttps: boolean, variables: Record<string, string> = VARIABLES): Composition {
      const base = readCompose(renderCompose({ apiHttps }, USER));
      const own = readCompose(readFileSync(inDeploy(override), "utf8"), variables);
      return mergeCompose(base, own) as Composition;
    }

    const started = ({ services }: Composition) =>
      Object.entries(services).filter(([, { profiles = [] }]) => profiles.length === 0);
    const ours = (composition: Composition) =>
      started(composition).filter(([, { image }]) => image === "symbol-gateway");
    const hostPorts = (composition: Composition) =>
      started(composition).flatMap(([, { ports = [] }]) => ports.map((port) => port.split(":").slice(0, -1).join(":")));

    /** The properties of a node as Shoestring writes them for `lightApi = false`, with the file of --overrides. */
    function properties(overrides: string, name: "node" | "extensions-server" | "extensions-recovery"): Properties {
      const resources = mkdtempSync(path.join(folder, "resources-"));
      for (const one of ["node", "extensions-server"])
        cpSync(dataPath(`reference-node/config-${one}.properties`), path.join(resources, `config-${one}.properties`));
      const recovery = ["filespooling", "addressextraction", "mongo", "zeromq"].map((one) => `extension.${one} = true`);
      writeFileSync(
        path.join(resources, "config-extensions-recovery.properties"),
        ["[extensions]", "", ...recovery, ""].join("\n"),
      );
      const dual = path.join(folder, "dual.ini");
      writeFileSync(
        dual,
        `[node.node]
trustedHosts = 127.0.0.1,${REST_API}
localNetworks = 127.0.0.1,172.20
enableAutoSyncCleanup = false
[extensions-server.extensions]
extension.filespooling = true
extension.partialtransaction = true
`,
      );
      patchProperties(resources, dual);
      patchProperties(resources, inDeploy(overrides));
      return new Properties(readFileSync(path.join(resources, `config-${name}.properties`), "utf8"));
    }

    describe.each([false, true])("with apiHttps = %s", (apiHttps) => {
      test("beside: adds a second interface, and leaves Shoestring's services as they are", () => {
        const composition = merged("beside.override.yaml", apiHttps);
        const before = readCompose(renderCompose({ apiHttps }, USER)) as unknown as Composition;
        for (const [name, service] of Object.entries(before.services)) {
          const { environment: _, ...rest } = service;
          expect(composition.services[name]).toMatchObject(rest);
        }
        expect(ours(composition).map(([name]) => name)).toEqual(["symbol-migrate", "symbol-indexer", "symbol-gateway"]);
        expect(composition.services["symbol-gateway"]?.ports).toEqual(["3100:3000"]);
        const trusted = properties("beside.ini", "node").section("node").text("trustedHosts").split(",");
        expect(trusted).toEqual(
          expect.arrayContaining([REST_API, composition.services["symbol-gateway"]?.networks?.default?.ipv4_address]),
        );
      });

      test("instead: takes the place of rest-api, and nothing of MongoDB and the broker is started", () => {
        const composition = merged("instead.override.yaml", apiHttps);
        const names = ["client", "rest-api", "postgres", "symbol-migrate", "symbol-indexer"];
        expect(
          started(composition)
            .map(([name]) => name)
            .toSorted(),
        ).toEqual([...names, ...(apiHttps ? ["rest-api-https-proxy"] : [])].toSorted());
        expect(composition.services.client?.command).toBe("/usr/catapult/bin/catapult.server /userconfig");
        const api = composition.services["rest-api"] as Service;
        expect(api).toMatchObject({ command: "gateway", working_dir: "/app", read_only: true });
        expect(api.networks?.default?.ipv4_address).toBe(REST_API);
        expect(api.ports ?? []).toEqual(apiHttps ? [] : ["3000:3000"]);
        const node = properties("instead.ini", "node").section("node");
        expect(node.text("trustedHosts").split(",")).toContain(REST_API);
        expect(node.text("enableAutoSyncCleanup")).toBe("true");
        const extensions = properties("instead.ini", "extensions-server").section("extensions");
        const recovery = properties("instead.ini", "extensions-recovery").section("extensions");
        const shown = (name: string) => [extensions, recovery].map((one) => one.text(`extension.${name}`));
        expect(shown("filespooling")).toEqual(["false", "false"]);
        expect(shown("addressextraction")).toEqual(["true", "false"]);
        expect(shown("zeromq")).toEqual(["true", "false"]);
        expect(recovery.text("extension.mongo")).toBe("false");
        expect(extensions.text("extension.partialtransaction")).toBe("true");
      });

      test.each(["beside.override.yaml", "instead.override.yaml"])(
        "%s: users, files, ports, settings",
        async (override) => {
          const composition = merged(override, apiHttps);
          const own = ours(composition);
          expect(own).toHaveLength(3);
          const ports = hostPorts(composition);
          expect(new Set(ports).size).toBe(ports.length);
          for (const [name, service] of own) {
            const { environment = {}, volumes = [] } = service;
            // Shoestring's files are for its user alone, and the node's data are for the node.
            expect({ name, user: service.user }).toEqual({ name, user: USER });
            expect({ name, volumes }).toEqual({
              name,
              volumes: ["./userconfig:/userconfig:ro", "./keys/cert:/certificates:ro"],
            });
            expect(service.read_only).toBe(true);
            expect(Object.keys(service.depends_on ?? {}).filter((one) => !composition.services[one])).toEqual([]);
            const given = Object.fromEntries(Object.entries(environment).filter(([one]) => !OTHER_NAMES.includes(one)));
            const { settings, given: known } = loadSettings(given, path.join(folder, "no.env"));
            const empty = Object.keys(given).filter((one) => given[one] === "");
            expect(Object.keys(known).toSorted()).toEqual(
              Object.keys(given)
                .filter((one) => !empty.includes(one))
                .toSorted(),
            );
            expect(settings.CATAPULT_NODES).toEqual([{ host: "client", port: 7900 }]);
            const hosts = [settings.CATAPULT_ZMQ ?? "", settings.DATABASE_URL ?? ""].map(
              (url) => new URL(url).hostname,
            );
            expect(hosts.filter((host) => composition.services[host]?.profiles !== undefined)).toEqual([]);
            expect(Object.keys(composition.services)).toEqual(expect.arrayContaining(hosts));
            // While it creates its data, PostgreSQL answers on its socket only, and has no role yet.
            expect(composition.services.postgres?.healthcheck?.test).toContain("127.0.0.1");
            const program = startProcess([service.command ?? "", "--help"]);
            expect(await program.exited).toMatchObject({ code: 0 });
          }
        },
      );
    });

    test("do not start without the user and the password", () => {
      for (const name of ["SYMBOL_GATEWAY_USER", "POSTGRES_PASSWORD"] as const) {
        const { [name]: _, ...others } = VARIABLES;
        expect(() => merged("instead.override.yaml", false, others)).toThrow(`${name} is not set`);
      }
    });

    test("behind the HTTPS proxy, the addresses of its network are trusted when .env says so", () => {
      const trusting = merged("instead.override.yaml", true, { ...VARIABLES, TRUSTED_PROXIES: "172.20.0.0/24" });
      expect(trusting.services["rest-api"]?.environment?.TRUSTED_PROXIES).toBe("172.20.0.0/24");
    });
  });

test("the guide is short, and its variables are those of the files", () => {
  const guide = readFileSync(new URL("../../../docs/shoestring.md", import.meta.url), "utf8");
  expect(guide.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  for (const name of [...Object.keys(VARIABLES), "TRUSTED_PROXIES", "beside.ini", "instead.ini"])
    expect(guide).toContain(name);
});
