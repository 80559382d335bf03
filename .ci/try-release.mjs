// Installs what .ci/release has built, in empty folders, and runs README's commands there: `.ci/try-release.mjs FOLDER`.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const START_MS = 300_000;
const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: .ci/try-release.mjs FOLDER");
const release = path.resolve(folder);
const place = mkdtempSync(path.join(tmpdir(), "symbol-gateway-release-"));
const file = (pattern) => {
  const found = readdirSync(release).find((name) => pattern.test(name));
  if (!found) throw new Error(`the release has no ${pattern}`);
  return path.join(release, found);
};

function empty(name) {
  const made = path.join(place, name);
  mkdirSync(made);
  return made;
}

function run(cwd, command, args, env = process.env) {
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`);
  console.log(`- ${what}`);
}

/** Runs `dev` until `use` has used it. The program finds nothing of this machine but Node, and tar and sh for PostgreSQL. */
async function whileRunning(program, cwd, use) {
  const bin = empty("bin");
  symlinkSync(process.execPath, path.join(bin, "node"));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: cwd, PORT: "0", DEVNET_BLOCK_MS: "1000" };
  const child = spawn(path.join(bin, "node"), [program, "dev"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    let output = "";
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`dev did not start:\n${output}`)), START_MS);
      ended.then(() => reject(new Error(`dev has ended:\n${output}`)));
      child.stdout.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (!output.includes("Stop with Ctrl-C.")) return;
        clearTimeout(late);
        resolve();
      });
    });
    const [, url] = /REST +(http:\S+?)\/?\s/.exec(output);
    await use(url, (...args) => run(cwd, path.join(bin, "node"), [program, ...args], env));
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function tryTarball() {
  const cwd = empty("tarball");
  run(cwd, "tar", ["-xzf", file(new RegExp(`-linux-${process.arch}\\.tar\\.gz$`))]);
  const program = path.join(cwd, readdirSync(cwd)[0], "dist/cli/main.js");
  const home = empty("home");
  await whileRunning(program, home, async (url, command) => {
    const sent = command("transfer", "--to", "bob", "--amount", "1.5");
    const [, hash] = /Announced ([0-9A-F]{64})/.exec(sent) ?? [];
    expect(/Confirmed in block \d+/.test(sent), "the tarball runs with Node alone, and transfers");
    const status = await (await fetch(`${url}/transactionStatus/${hash}`)).json();
    expect(status.group === "confirmed", "the status of the transfer is confirmed");
    expect((await fetch(`${url}/explorer`)).status === 200, "the explorer is served");
    const psql = command("database-url");
    expect(psql.startsWith("postgres://"), "the database has a URL");
    await tryPackages(url);
  });
}

async function tryPackages(url) {
  const cwd = empty("packages");
  writeFileSync(path.join(cwd, "package.json"), '{ "type": "module" }');
  const packages = [file(/^symbol-gateway-[\d.]+\.tgz$/), file(/^symbol-gateway-client-[\d.]+\.tgz$/)];
  run(cwd, "npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", ...packages]);
  const bin = path.join(cwd, "node_modules/.bin/symbol-gateway");
  expect(/^\d+\.\d+\.\d+/.test(run(cwd, bin, ["--version"])), "the package has the program");
  writeFileSync(
    path.join(cwd, "use.js"),
    `import { GatewayClient } from "symbol-gateway-client";
     const { height } = await new GatewayClient(process.argv[2]).get("/chain/info");
     console.log(height);`,
  );
  expect(Number(run(cwd, process.execPath, ["use.js", url])) > 0, "the client's package reads the chain");
}

try {
  run(release, "sha256sum", ["--check", "--quiet", "SHA256SUMS"]);
  console.log("- checksums are right");
  await tryTarball();
} finally {
  rmSync(place, { recursive: true });
}
