import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { hidePasswords } from "../../cli/parts/log.js";
import { describeSettings, loadSettings, redactSettings, SettingsError } from "../../cli/settings/settings.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
const noFile = path.join(folder, "absent");

/** Of Linux, shells, npm, Node, Docker, Kubernetes, CI, PostgreSQL, proxies and observability. */
const OTHER_NAMES =
  `PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL LANG LC_ALL LANGUAGE TERM COLORTERM TZ TMPDIR EDITOR PAGER
  MAIL HOSTNAME HOSTTYPE OSTYPE MACHTYPE DISPLAY XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR XDG_CONFIG_HOME LS_COLORS
  SSH_CLIENT SSH_CONNECTION SSH_AUTH_SOCK SUDO_USER SUDO_COMMAND INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET MAINPID
  LISTEN_FDS LISTEN_PID STATE_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY RUNTIME_DIRECTORY CREDENTIALS_DIRECTORY
  SYSTEMD_EXEC_PID MEMORY_PRESSURE_WATCH NODE NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_DEBUG
  NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED UV_THREADPOOL_SIZE NO_COLOR FORCE_COLOR DEBUG YARN_VERSION NVM_DIR
  npm_execpath npm_node_execpath npm_config_cache npm_config_loglevel npm_lifecycle_event npm_package_name INIT_CWD
  KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_ADDR SYMBOL_GATEWAY_PORT
  SYMBOL_GATEWAY_SERVICE_HOST SYMBOL_GATEWAY_SERVICE_PORT SYMBOL_GATEWAY_PORT_3000_TCP_PROTO CHAIN_INTERNAL_SERVICE_HOST
  CHAIN_DB_RW_SERVICE_HOST DATABASE_PORT DATABASE_SERVICE_HOST DATABASE_SERVICE_PORT DATABASE_HOST DATABASE_NAME
  DATABASE_USER DOCKER_HOST DOCKER_CONFIG COMPOSE_PROJECT_NAME CONTAINER_ID POD_NAME POD_IP NODE_NAME NAMESPACE
  CI GITHUB_TOKEN GITHUB_ACTIONS GITHUB_WORKSPACE RUNNER_TEMP RUNNER_OS GITLAB_CI CI_JOB_ID CI_COMMIT_SHA BUILD_NUMBER
  JENKINS_URL TRAVIS CIRCLECI PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGSSLMODE PGPASSFILE POSTGRES_USER
  POSTGRES_PASSWORD POSTGRES_PASSWORD_FILE POSTGRES_DB HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  SSL_CERT_FILE SSL_CERT_DIR TLS_CERT_FILE EXTERNAL_PORT HOSTS PORTS POST LOG_FILE LOG_DIR LOG_PATH OTEL_SERVICE_NAME
  OTEL_EXPORTER_OTLP_ENDPOINT OTEL_TRACES_SAMPLER SENTRY_DSN DD_AGENT_HOST DD_ENV DOMAIN GF_SERVER_HTTP_ADDR TOKEN
  API_TOKEN SECRET_KEY AWS_REGION AWS_ACCESS_KEY_ID GOOGLE_APPLICATION_CREDENTIALS DYNO HEROKU_APP_NAME _`.split(/\s+/);

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
    ["COMPATIBILITY", "rest", "one of spec, catapult-rest"],
    ["CATAPULT_ZMQ", "tcp://host", "a URL of the form tcp://host:7902"],
    ["TRUSTED_PROXIES", "10.0.0.0/33", "an IP address or a network such as 10.0.0.0/8, or several separated by commas"],
    ["CATAPULT_NODES", "host", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", "host:0", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", ",", "host:port, or several separated by commas"],
    ["CATAPULT_NODES", "::1:7900", "host:port, or several separated by commas"],
    ["DEVNET_BLOCK_MS", "9", "a whole number from 10 to 3600000"],
    ["MESH_PATH", "/a/b", "a path of one segment, such as /mesh, or /"],
    ["INTERNAL_PORT", "x", "a port, or an address and a port such as 0.0.0.0:9464"],
    ["INTERNAL_PORT", "65536", "a port, or an address and a port such as 0.0.0.0:9464"],
  ])("reject %s=%s and describe the expected form", (name, value, form) => {
    expect(() => load({ [name]: value })).toThrow(
      new SettingsError([`${name} must be ${form}, not ${JSON.stringify(value)}.`]),
    );
  });

  test.each([
    ["CATAPULT_TLS_DIR", "/srv/my data/ü'\"#%/tls/", "/srv/my data/ü'\"#%/tls/"],
    ["CATAPULT_RESOURCES", "~/résumé und mehr", path.join(homedir(), "résumé und mehr")],
    ["TLS_CERTIFICATE_FILE", '"/etc/ssl/my chain.pem"', "/etc/ssl/my chain.pem"],
    ["TLS_KEY_FILE", "schlüssel (neu).pem", "schlüssel (neu).pem"],
    ["DATA_DIR", "~", homedir()],
    ["DATA_DIR", "C o p y ~", "C o p y ~"],
    ["HOST", "[::1]", "::1"],
    ["HOST", "fe80::1%eth0", "fe80::1%eth0"],
    ["LOG_LEVEL", "DEBUG", "debug"],
    ["COMPATIBILITY", "'Catapult-REST'", "catapult-rest"],
    ["PORT", "\u00a03001\r\n", 3001],
    ["MESH_PATH", "Mesh/", "/Mesh"],
    ["CATAPULT_ZMQ", "TCP://[fe80::1%eth0]:7902/", "tcp://[fe80::1%eth0]:7902"],
    ["CATAPULT_ZMQ", "node.example:7902", "tcp://node.example:7902"],
    ["INTERNAL_PORT", ":9464", { host: "::", port: 9464 }],
    ["INDEXER_METRICS_PORT", "[fe80::1%eth0]:9464", { host: "fe80::1%eth0", port: 9464 }],
    ["TRUSTED_PROXIES", "10.0.0.0/8,\n  ::1,\n", ["10.0.0.0/8", "::1"]],
    ["WEBHOOK_PRIVATE_NETWORKS", "10.0.0.1 fe80::/10", ["10.0.0.1", "fe80::/10"]],
    [
      "CATAPULT_NODES",
      "knoten.müller.example:7900, [fe80::1%eth0]:7901\n[::1]:7902/,",
      [
        { host: "knoten.müller.example", port: 7900 },
        { host: "fe80::1%eth0", port: 7901 },
        { host: "::1", port: 7902 },
      ],
    ],
    ["DEVNET_SEED", "zwölf Wörter", "zwölf Wörter"],
  ])("take %s=%j", (name, text, value) => {
    expect(load({ [name]: text })).toHaveProperty(name, value);
  });

  test.each(["\uFEFF", "utf16"])("are read from a file with a byte order mark and Windows' line ends (%j)", (mark) => {
    const file = path.join(folder, "windows.env");
    const text = '\uFEFFPORT=4001\r\nDATA_DIR="my data"\r\n';
    writeFileSync(file, text, mark === "utf16" ? "utf16le" : "utf8");
    const { settings, unknownNames } = loadSettings({}, file);
    expect(settings).toMatchObject({ PORT: 4001, DATA_DIR: "my data" });
    expect(unknownNames).toEqual([]);
    const secret = path.join(folder, "windows.secret");
    writeFileSync(secret, "\uFEFFgeheim\r\n");
    expect(load({ DATABASE_PASSWORD_FILE: secret }).DATABASE_PASSWORD).toBe("geheim");
  });

  /** What the driver of PostgreSQL makes of a URL. */
  const connectionOf = (url: string, more: Record<string, string> = {}) => {
    const { user, password, host, port, database } = new pg.Client(load({ DATABASE_URL: url, ...more }).DATABASE_URL);
    return { user, password, host, port, database };
  };

  test.each([
    ["postgres://me:pw@/db?host=/cloudsql/project:region:name", "me", "pw", "/cloudsql/project:region:name", "db"],
    ["postgres://me:p/w@x@/db?host=/var/run/postgresql", "me", "p/w@x", "/var/run/postgresql", "db"],
    ["postgres://me@/db?host=/tmp/my%20sockets", "me", "", "/tmp/my sockets", "db"],
    ["postgresql:///db?host=/tmp&user=me&password=pw", "me", "pw", "/tmp", "db"],
    ["postgres://me:pw@%2Fvar%2Frun/db", "me", "pw", "/var/run", "db"],
    ["postgres://me:pw@[::1]:5432/db", "me", "pw", "::1", "db"],
    ["postgres://me:pw@[fe80::1%eth0]:5432/db", "me", "pw", "fe80::1%eth0", "db"],
    ["postgres://me:pw@[fe80::1%25eth0]/db", "me", "pw", "fe80::1%eth0", "db"],
    ["POSTGRES://me:pw@host/my%20db", "me", "pw", "host", "my db"],
    ['"postgres://me:pw@host/db"', "me", "pw", "host", "db"],
  ])("take the database %s", (url, user, password, host, database) => {
    expect(connectionOf(url)).toEqual({ user, password: password || null, host, port: 5432, database });
    const shown = JSON.stringify(redactSettings(load({ DATABASE_URL: url })));
    if (password) expect(shown).not.toMatch(/:pw@|=pw|p%2Fw/);
    const loaded = load({ DATABASE_URL: url }).DATABASE_URL;
    if (password) expect(hidePasswords(`Connection failed: ${loaded}`)).not.toMatch(/:pw@|=pw|p%2Fw/);
  });

  test("add DATABASE_PASSWORD to a URL of a socket", () => {
    const DATABASE_PASSWORD = "a&b=%2F";
    const url = "postgres://me@/db?host=/tmp";
    expect(connectionOf(url, { DATABASE_PASSWORD })).toMatchObject({ password: DATABASE_PASSWORD, host: "/tmp" });
  });

  test("take a port for operators with or without an address", () => {
    const portOf = (text: string) => load({ INDEXER_METRICS_PORT: text }).INDEXER_METRICS_PORT;
    expect(portOf("9464")).toEqual({ host: "127.0.0.1", port: 9464 });
    expect(portOf("0")).toEqual({ host: "127.0.0.1", port: 0 });
    expect(portOf("0.0.0.0:9464")).toEqual({ host: "0.0.0.0", port: 9464 });
    expect(portOf("[::]:9464")).toEqual({ host: "::", port: 9464 });
    expect(portOf("")).toBeUndefined();
  });

  test("are at most 32", () => expect(describeSettings().length).toBeLessThanOrEqual(32));

  test("are not confused with names of other programs", () => {
    const others = Object.fromEntries(OTHER_NAMES.map((name) => [name, "x"]));
    expect(() => load(others)).not.toThrow();
  });

  test.each([
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["DATABASE_PASWORD_FILE", "DATABASE_PASSWORD_FILE"],
    ["CATAPULT_NODE", "CATAPULT_NODES"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["GRAPHQL_TOCKEN", "GRAPHQL_TOKEN"],
    ["GRAPHQL_TOKEN_FIL", "GRAPHQL_TOKEN_FILE"],
    ["MESHPATH", "MESH_PATH"],
  ])("are meant by %s, which is an error beside all others", (name, nearest) => {
    const problems = [`${name} is not a setting: the nearest one is ${nearest}.`];
    expect(() => load({ [name]: "x" })).toThrow(new SettingsError(problems));
    expect(() => load({ [name]: "x", LOG_LEVEL: "y" })).toThrow(/ is not a setting: .*\nLOG_LEVEL must be /);
    const file = path.join(folder, "mistyped.env");
    writeFileSync(file, `${name}=x\n`);
    expect(() => loadSettings({}, file)).toThrow(new SettingsError(problems));
  });

  test.each(["postgres:/x", "postgres:x", "x", "http://host/db"])("reject %s as the URL of a database", (url) => {
    expect(() => load({ DATABASE_URL: url })).toThrow(/^DATABASE_URL must be a URL of the form postgres:\/\/user:/);
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
    expect(() => load({ GRAPHQL_TOKEN_FILE: noFile })).toThrow(
      /^GRAPHQL_TOKEN_FILE: ENOENT: .*absent does not exist\.$/,
    );
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
      ({ name, default: value, description }) => `| \`${name}\` | ${value} | ${description} |`,
    );
    const written = `${text.slice(0, text.indexOf("| `"))}${rows.join("\n")}\n`;
    if (process.env.UPDATE_DOCS === "1") writeFileSync(page, written);
    expect(readFileSync(page, "utf8")).toBe(written);
  });
});
