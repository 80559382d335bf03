import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { describeSettings, loadSettings, redactSettings, SettingsError } from "../../cli/settings/settings.js";

const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-settings-"));
const noFile = path.join(folder, "absent");

afterAll(() => rmSync(folder, { recursive: true }));

function load(environment: Record<string, string>) {
  return loadSettings(environment, noFile).settings;
}

describe("settings", () => {
  test("have defaults, and an empty value counts as none", () => {
    const settings = load({ PORT: "", HOST: " " });
    expect(settings).toMatchObject({
      PORT: 3000,
      HOST: "0.0.0.0",
      DATA_DIR: ".data",
      COMPATIBILITY: "spec",
    });
    expect(settings.DATABASE_URL).toBeUndefined();
    expect(settings.CATAPULT_NODES).toBeUndefined();
  });

  test("are read from the environment first, then from .env", () => {
    const file = path.join(folder, ".env");
    writeFileSync(file, "PORT=4000\nDEVNET_BLOCK_MS=250 # quick\nPROT=5\n");
    const { settings, unknownNames } = loadSettings({ PORT: "4001" }, file);
    expect(settings).toMatchObject({ PORT: 4001, DEVNET_BLOCK_MS: 250 });
    expect(unknownNames).toEqual(["PROT"]);
  });

  test("name nodes by host and port, IPv6 in brackets", () => {
    expect(load({ CATAPULT_NODES: "a.example:7900, [::1]:7901" }).CATAPULT_NODES).toEqual([
      { host: "a.example", port: 7900 },
      { host: "::1", port: 7901 },
    ]);
  });

  test.each([
    ["PORT", "abc", "a whole number from 0 to 65535"],
    ["PORT", "65536", "a whole number from 0 to 65535"],
    ["PORT", "-1", "a whole number from 0 to 65535"],
    ["PORT", "3000.5", "a whole number from 0 to 65535"],
    ["PORT", "1e3", "a whole number from 0 to 65535"],
    ["LOG_LEVEL", "loud", "one of trace, debug, info, warn, error, fatal, silent"],
    ["COMPATIBILITY", "CATAPULT-REST", "one of spec, catapult-rest"],
    ["CATAPULT_NODES", "host", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", "host:0", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", "host:7900,", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", "::1:7900", "host:port, or several separated by commas"],
    ["INDEXER_POLL_MS", "0", "a whole number from 10 to 600000"],
  ])("reject %s=%s and describe the expected form", (name, value, form) => {
    expect(() => load({ [name]: value })).toThrow(
      new SettingsError([`${name} must be ${form}, not ${JSON.stringify(value)}.`]),
    );
  });

  test("name every invalid one at once", () => {
    expect(() => load({ PORT: "x", LOG_LEVEL: "y" })).toThrow(/PORT must be .*\nLOG_LEVEL must be /);
  });

  test("never show a secret, neither in errors nor when printed", () => {
    const message = () => load({ DATABASE_URL: "mysql://me:geheim@host/db" });
    expect(message).toThrow("DATABASE_URL must be a URL of the form postgres://user:password@host:5432/database.");
    const shown = redactSettings(
      load({
        DATABASE_URL: "postgres://me:geheim@host:5432/db",
        DATABASE_READ_URL: "postgresql://me:geheim@replica/db",
        GRAPHQL_TOKEN: "geheim",
      }),
    );
    expect(shown).toMatchObject({ DATABASE_URL: "postgres://me:***@host:5432/db", GRAPHQL_TOKEN: "***" });
    expect(JSON.stringify(shown)).not.toContain("geheim");
  });

  test("docs/settings.md has the table (UPDATE_DOCS=1 rewrites it)", () => {
    const page = new URL("../../../docs/settings.md", import.meta.url);
    const text = readFileSync(page, "utf8");
    const rows = describeSettings().map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${value} | ${meaning} |`,
    );
    const written = `${text.slice(0, text.indexOf("| `"))}${rows.join("\n")}\n`;
    if (process.env.UPDATE_DOCS === "1") writeFileSync(page, written);
    expect(readFileSync(page, "utf8")).toBe(written);
  });
});
