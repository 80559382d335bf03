import { execFile, spawnSync } from "node:child_process";
import { readFileSync, realpathSync, symlinkSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { RecordedChain } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { skip } from "../support/skipped.js";
import { findProgram, lacking } from "../support/tools.js";

/*
 * Clients that generators make from `/openapi.json` of a running gateway: each is built, and prints as JSON what it has
 * read of a chain with many types of transactions. A member that its types lose, or a transaction that it takes for one of
 * another type, makes a difference to what the gateway sent.
 */

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const PAGE = "pageSize=100";
const run = promisify(execFile);

interface Entry {
  readonly id: string;
  readonly meta: { readonly hash?: string };
  readonly transaction: { readonly type: number };
}

interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, { properties?: { type?: { enum?: number[] } } }>> };
}

/** What a program of a generated client prints. */
interface Read {
  readonly chain: unknown;
  readonly blocks: unknown;
  readonly transaction: unknown;
  readonly transactions: unknown;
  readonly restrictions: unknown;
  /** The classes of the transactions, if there are any at run time. */
  readonly classes?: readonly string[];
}

let gateway: RecordedStateGateway;
let folder: string;
/** One transaction of each type, of itself and embedded; the first is not embedded. */
let entries: Entry[];

async function get<Body>(at: string, init?: RequestInit): Promise<Body> {
  const response = await fetch(`${gateway.url}${at}`, init);
  expect({ at, status: response.status }).toEqual({ at, status: 200 });
  return response.json() as Promise<Body>;
}

async function findEntries(): Promise<Entry[]> {
  const found = new Map<string, Entry>();
  for (let pageNumber = 1, isLast = false; !isLast; pageNumber += 1) {
    const query = `embedded=true&order=asc&${PAGE}&pageNumber=${pageNumber}`;
    const { data } = await get<{ data: Entry[] }>(`/transactions/confirmed?${query}`);
    for (const entry of data) found.set(`${entry.meta.hash === undefined} ${entry.transaction.type}`, entry);
    isLast = data.length === 0;
  }
  const sorted = [...found.values()].sort((a, b) => Number(!a.meta.hash) - Number(!b.meta.hash));
  // Pages have aggregates without what is in them.
  const method = "POST";
  const body = JSON.stringify({ transactionIds: sorted.map(({ id }) => id) });
  return get("/transactions/confirmed", { method, headers: { "content-type": "application/json" }, body });
}

/** Runs a program with the questions as its arguments. */
async function ask(program: string, args: readonly string[], options: { cwd: string }): Promise<Read> {
  const questions = [gateway.url, ...entries.map(({ id }) => id)];
  const { stdout } = await run(program, [...args, ...questions], { ...options, maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as Read;
}

async function expectAsSent({ classes, ...read }: Read): Promise<void> {
  const { components } = await get<Described>("/openapi.json");
  const classOf = ({ meta, transaction }: Entry) =>
    Object.keys(components.schemas).find(
      (name) =>
        name.endsWith("TransactionDTO") &&
        name.startsWith("Embedded") === (meta.hash === undefined) &&
        components.schemas[name]?.properties?.type?.enum?.includes(transaction.type),
    );
  expect(read).toEqual({
    chain: await get("/chain/info"),
    blocks: await get(`/blocks?${PAGE}`),
    transaction: entries[0],
    transactions: entries,
    restrictions: await get(`/restrictions/account?${PAGE}`),
  });
  if (classes) expect(classes).toEqual(entries.map(classOf));
}

async function ownFolder(name: string): Promise<string> {
  return mkdtemp(path.join(folder, name));
}

const TYPESCRIPT = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [baseUrl = "", ...transactionIds] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const query = { pageSize: 100 };
const { data: chain } = await client.GET("/chain/info");
const { data: blocks } = await client.GET("/blocks", { params: { query } });
const transactionId = transactionIds[0]!;
const { data: transaction } = await client.GET("/transactions/confirmed/{transactionId}", { params: { path: { transactionId } } });
const { data: transactions } = await client.POST("/transactions/confirmed", { body: { transactionIds } });
const { data: restrictions } = await client.GET("/restrictions/account", { params: { query } });
const texts: (string | undefined)[] = [chain?.height, blocks?.data[0]?.block.height];
const numbers: (number | undefined)[] = transactions?.map(({ transaction }) => transaction.type) ?? [];
// @ts-expect-error the page has no such member
blocks?.entries;
if (texts.includes(undefined) || numbers.includes(undefined)) throw new Error("a member is missing");
console.log(JSON.stringify({ chain, blocks, transaction, transactions, restrictions }));
`;

const PYTHON = `
import json, sys
from generated import Client
from generated.api.blocks import search_blocks
from generated.api.chain import get_chain_info
from generated.api.restrictions import search_account_restrictions
from generated.api.transactions import get_confirmed_transaction, get_confirmed_transactions
from generated.models import GetConfirmedTransactionsBody

url, *ids = sys.argv[1:]
client = Client(base_url=url, raise_on_unexpected_status=True)
transactions = get_confirmed_transactions.sync(client=client, body=GetConfirmedTransactionsBody(transaction_ids=ids))
print(json.dumps({
    "chain": get_chain_info.sync(client=client).to_dict(),
    "blocks": search_blocks.sync(client=client, page_size=100).to_dict(),
    "transaction": get_confirmed_transaction.sync(ids[0], client=client).to_dict(),
    "transactions": [entry.to_dict() for entry in transactions],
    "restrictions": search_account_restrictions.sync(client=client, page_size=100).to_dict(),
    "classes": [type(entry.transaction).__name__ for entry in transactions],
}))
`;

const JAVA = `
import java.util.*;
import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

class Try {
  static String classOf(GetConfirmedTransactions200ResponseInner entry) {
    Object info = entry.getActualInstance();
    AbstractOpenApiSchema transaction = info instanceof TransactionInfoDTO
      ? ((TransactionInfoDTO) info).getTransaction()
      : ((EmbeddedTransactionInfoDTO) info).getTransaction();
    return transaction.getActualInstance().getClass().getSimpleName();
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient().setBasePath(args[0]);
    List<String> ids = Arrays.asList(args).subList(1, args.length);
    TransactionsApi api = new TransactionsApi(client);
    List<GetConfirmedTransactions200ResponseInner> transactions =
      api.getConfirmedTransactions(new GetConfirmedTransactionsRequest().transactionIds(ids));
    List<String> classes = new ArrayList<>();
    for (GetConfirmedTransactions200ResponseInner entry : transactions) classes.add(classOf(entry));
    Map<String, Object> read = new LinkedHashMap<>();
    read.put("chain", new ChainApi(client).getChainInfo());
    read.put("blocks", new BlocksApi(client).searchBlocks(null, null, null, null, null, null, 100, 1, null, null, null));
    read.put("transaction", api.getConfirmedTransaction(ids.get(0)));
    read.put("transactions", transactions);
    read.put("restrictions", new RestrictionsApi(client).searchAccountRestrictions(null, 100, 1, null, null, null));
    read.put("classes", classes);
    System.out.println(JSON.getGson().toJson(read));
    System.exit(0);
  }
}
`;

/** The folder with the packages beside a program that npm installed; undefined without a package. */
function modulesWith(name: string, program: string): string | undefined {
  try {
    const [modules] = createRequire(realpathSync(program)).resolve(name).split(`${path.sep}${name}${path.sep}`);
    return modules;
  } catch {
    return undefined;
  }
}

async function tryTypeScript(program: string, modules: string): Promise<void> {
  const cwd = await ownFolder("typescript-");
  symlinkSync(modules, path.join(cwd, "node_modules"));
  await run(program, [`${gateway.url}/openapi.json`, "-o", "api.ts"], { cwd });
  await writeFile(path.join(cwd, "package.json"), '{"type":"module"}');
  await writeFile(path.join(cwd, "try.ts"), `declare const process: { argv: string[] };${TYPESCRIPT}`);
  const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--types", ""];
  await run(process.execPath, [TSC, ...options, "try.ts"], { cwd }).catch(({ stdout }) => expect(stdout).toBe(""));
  await expectAsSent(await ask(process.execPath, ["try.js"], { cwd }));
}

/**
 * The interpreter that has the packages of the generator, which its clients need too. A program that pip or pipx installed
 * names it in its first line; one of pyenv is a shell script, and its `python3` is one too.
 */
function pythonWithPackages(program: string): string | undefined {
  const [, named = ""] = /^#!(.*python.*)$/m.exec(readFileSync(program, "utf8")) ?? [];
  const has = (python: string) => spawnSync(python, ["-c", "import attr, httpx"]).status === 0;
  return [named, "python3", "python"].find((python) => python && has(python));
}

async function tryPython(program: string, python: string): Promise<void> {
  const cwd = await ownFolder("python-");
  const document = `${gateway.url}/openapi.json`;
  await run(program, ["generate", "--url", document, "--meta", "none", "--output-path", "generated"], { cwd });
  await writeFile(path.join(cwd, "try.py"), PYTHON);
  await expectAsSent(await ask(python, ["try.py"], { cwd }));
}

async function tryJava(program: string, java: string, maven: string): Promise<void> {
  const cwd = await ownFolder("java-");
  const parts = "models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false";
  const document = `${gateway.url}/openapi.json`;
  await run(program, ["generate", "-i", document, "-g", "java", "-o", ".", "--global-property", parts], {
    cwd,
    // It writes its settings to the folder of the shell.
    env: { ...process.env, PWD: cwd },
    maxBuffer: 1 << 26,
  });
  await run(maven, ["-q", "-B", "compile", "dependency:copy-dependencies"], { cwd }).catch(({ stdout }) =>
    expect(stdout).toBe(""),
  );
  await writeFile(path.join(cwd, "Try.java"), JAVA);
  const classes = ["target/classes", "target/dependency/*"].join(path.delimiter);
  await expectAsSent(await ask(java, ["-cp", classes, "Try.java"], { cwd }));
}

const NAMES = ["openapi-typescript", "openapi-python-client", "openapi-generator-cli"] as const;
const [typeScript, pythonGenerator, generator] = NAMES.map(findProgram);
const python = pythonGenerator && pythonWithPackages(pythonGenerator);
const [java, maven] = ["java", "mvn"].map(findProgram);
const modules = typeScript && modulesWith("openapi-fetch", typeScript);
/** Maven downloads what a client needs, a compiler and its plugins among it. */
const mayDownload = process.env.TEST_NPX === "1";
const tries: Readonly<Record<(typeof NAMES)[number], (() => Promise<void>) | undefined>> = {
  "openapi-typescript": typeScript && modules ? () => tryTypeScript(typeScript, modules) : undefined,
  "openapi-python-client": pythonGenerator && python ? () => tryPython(pythonGenerator, python) : undefined,
  "openapi-generator-cli":
    generator && java && maven && mayDownload ? () => tryJava(generator, java, maven) : undefined,
};
const title = (name: string) => `the client that ${name} generates reads what the gateway sends`;

for (const name of NAMES) if (!tries[name]) skip(title(name), lacking(name));

const there = NAMES.filter((name) => tries[name]);
if (there.length > 0)
  describe("generated clients", () => {
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-generated-"));
      gateway = await RecordedStateGateway.start(new RecordedChain());
      entries = await findEntries();
      expect(entries.length).toBeGreaterThan(25);
    });

    afterAll(async () => {
      await gateway?.close();
      await rm(folder, { recursive: true });
    });

    test.each(there)(title("%s"), (name) => tries[name]?.());
  });
