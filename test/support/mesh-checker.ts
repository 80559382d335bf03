import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AccountIdentifier, Currency, NetworkIdentifier } from "../../mesh/standard/schemas.js";
import { freePort } from "./free-port.js";
import { findProgram, isExecutable } from "./tools.js";

const NAMES = ["mesh-cli", "rosetta-cli"];
const DOCUMENTED = fileURLToPath(new URL("../../../docs/mesh-check/", import.meta.url));
const WORKFLOW = "round-trip.ros";
/** Blocks of a devnet may have any age: what is newest is the tip. */
const ANY_AGE_SECONDS = 1_000_000_000;
const TIMEOUT_MS = 300_000;

/** The checker's program: `MESH_CLI`, or the first of its names on `PATH`; undefined if there is none. */
export function findMeshChecker(): string | undefined {
  const { MESH_CLI } = process.env;
  return MESH_CLI ? [MESH_CLI].find(isExecutable) : NAMES.map(findProgram).find((file) => file !== undefined);
}

/** A gateway to check, and an account that pays for `check:construction`. */
export interface CheckedGateway {
  /** With the path of Mesh. */
  readonly url: string;
  readonly network: NetworkIdentifier;
  readonly currency: Currency;
  readonly funder: { readonly account: AccountIdentifier; readonly privateKey: Buffer };
}

/** How a run of the checker ended. */
export interface CheckResult {
  readonly exitCode: number | null;
  /** Standard output and error. */
  readonly output: string;
  /** The tables that it prints at the end. */
  readonly tables: string;
  /** Its results file. */
  // biome-ignore lint/suspicious/noExplicitAny: the checker defines its form.
  readonly results: any;
}

/** Runs a command of the checker with the documented configuration, changed for the gateway. */
export async function runMeshChecker(
  program: string,
  command: "check:data" | "check:construction",
  { url, network, currency, funder }: CheckedGateway,
): Promise<CheckResult> {
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-mesh-"));
  try {
    const documented = JSON.parse(readFileSync(join(DOCUMENTED, "configuration.json"), "utf8"));
    const file = (name: string) => join(directory, name);
    const [data, construction] = [file("data.json"), file("construction.json")];
    const configuration = {
      ...documented,
      network,
      online_url: url,
      data_directory: directory,
      tip_delay: ANY_AGE_SECONDS,
      data: { ...documented.data, results_output_file: data, status_port: await freePort() },
      construction: {
        ...documented.construction,
        offline_url: url,
        results_output_file: construction,
        status_port: await freePort(),
        prefunded_accounts: [
          {
            privkey: funder.privateKey.toString("hex"),
            account_identifier: funder.account,
            curve_type: "edwards25519",
            currency,
          },
        ],
      },
    };
    await writeFile(file("configuration.json"), JSON.stringify(configuration));
    await copyFile(join(DOCUMENTED, WORKFLOW), file(WORKFLOW));
    const environment = {
      MESH_NETWORK_IDENTIFIER: JSON.stringify(network),
      MESH_CURRENCY: JSON.stringify(currency),
      MESH_FUNDER: JSON.stringify(funder.account),
    };
    const args = [command, "--configuration-file", file("configuration.json")];
    const { exitCode, output } = await run(program, args, environment);
    const results = await readFile(command === "check:data" ? data : construction, "utf8").catch(() => "null");
    const tables = output.split("\n").filter((line) => /^[+|]/.test(line));
    return { exitCode, output, tables: tables.join("\n"), results: JSON.parse(results) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function run(program: string, args: readonly string[], environment: Record<string, string>) {
  return new Promise<{ exitCode: number | null; output: string }>((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...environment }, timeout: TIMEOUT_MS });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, output }));
  });
}
