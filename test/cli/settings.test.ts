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
      HOST: "::",
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

  test.each([
    ["postgres://me:a/b@host:5432/db", "a/b"],
    ["postgres://me:12/3@host/db", "12/3"],
    ["postgres://me:p@ss?w#rd:x@host/db?sslmode=verify-full", "p@ss?w#rd:x"],
    ["postgres://me:100%@host/db", "100%"],
    ["postgresql://me:a%2Fb@host/db", "a/b"],
    ["postgres://me:Ä b\\[]{}|^`\"<>'@host/db", "Ä b\\[]{}|^`\"<>'"],
    ["postgres://me@host:5432/db", ""],
    ["postgres://host:5432/db?user=me@server&password=x", ""],
  ])("take the password of %s, whatever its characters", (url, password) => {
    const parsed = new URL(load({ DATABASE_URL: url }).DATABASE_URL ?? "");
    expect({ host: parsed.hostname, path: parsed.pathname }).toEqual({ host: "host", path: "/db" });
    expect(decodeURIComponent(parsed.password)).toBe(password);
  });

  test("add DATABASE_PASSWORD to URLs that have none", () => {
    const DATABASE_PASSWORD = "a%2F/@:?#";
    const settings = load({
      DATABASE_URL: "postgres://me@host/db",
      DATABASE_READ_URL: "postgres://me:own@host/db",
      DATABASE_PASSWORD,
    });
    expect(decodeURIComponent(new URL(settings.DATABASE_URL ?? "").password)).toBe(DATABASE_PASSWORD);
    expect(settings.DATABASE_READ_URL).toBe("postgres://me:own@host/db");
    expect(JSON.stringify(redactSettings(settings))).not.toContain("%2F");
  });

  test("read secrets from files, unless they are given themselves", () => {
    const file = path.join(folder, "secret");
    writeFileSync(file, "postgres://me:a/b@host/db\n");
    expect(load({ DATABASE_URL_FILE: file }).DATABASE_URL).toBe("postgres://me:a%2Fb@host/db");
    expect(load({ DATABASE_URL_FILE: file, DATABASE_URL: "postgres://other/db" }).DATABASE_URL).toBe(
      "postgres://other/db",
    );
    writeFileSync(file, "ada:0123456789abcdef\nbob:fedcba9876543210\n");
    expect(load({ GRAPHQL_TOKEN_FILE: file }).GRAPHQL_TOKEN).toEqual([
      { name: "ada", token: "0123456789abcdef" },
      { name: "bob", token: "fedcba9876543210" },
    ]);
    const dotenv = path.join(folder, "files.env");
    writeFileSync(dotenv, `GRAPHQL_TOKEN_FILE=${file}\nPORT_FILE=${file}\n`);
    const { settings, unknownNames } = loadSettings({}, dotenv);
    expect({ names: settings.GRAPHQL_TOKEN?.map(({ name }) => name), unknownNames }).toEqual({
      names: ["ada", "bob"],
      unknownNames: ["PORT_FILE"],
    });
    expect(() => load({ GRAPHQL_TOKEN_FILE: noFile })).toThrow(/^GRAPHQL_TOKEN_FILE: ENOENT: .*absent'\.$/);
  });

  test("take one token, or several with names, each once", () => {
    const base64 = "q1L9/v+0aB==";
    expect(load({ GRAPHQL_TOKEN: base64 }).GRAPHQL_TOKEN).toEqual([{ name: "default", token: base64 }]);
    expect(load({ GRAPHQL_TOKEN: `ada:${base64}, bob:x` }).GRAPHQL_TOKEN).toEqual([
      { name: "ada", token: base64 },
      { name: "bob", token: "x" },
    ]);
    for (const bad of ["ada:x,ada:y", "x,y", "two words"]) {
      expect(() => load({ GRAPHQL_TOKEN: bad })).toThrow(
        /^GRAPHQL_TOKEN must be a word .*, separated by commas or line breaks\.$/,
      );
    }
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
