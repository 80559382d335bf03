import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { csvLine, freeText } from "../../gateway/rest/route/csv.js";
import { readCsv } from "../support/csv.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { SeededRandom } from "../support/seeded-random.js";
import { skip } from "../support/skipped.js";
import { findProgram, lacking } from "../support/tools.js";

const TEXTS = 500;
const FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(1)"];
const PIECES = [
  ...["a", "日本", "🙂", " ", "\t", "0", "-", "=", "+", "@", "＝", "'", '"', '""', ",", ";", "|", "\n", "\r", "\r\n"],
  ..."\0\x01\x1b\x7f\u0085\u2028\u202e\u2066\ufeff\ufffd\\",
  ...["\n\\.\n", "\\N", "null"],
];

let database: TestDatabase;
let client: pg.Client;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-csv-"));
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
  await rm(folder, { recursive: true });
});

/** Texts of strangers, as a file; the first ones are formulas. */
function drawnFile() {
  const random = new SeededRandom();
  const drawn = Array.from({ length: TEXTS }, () =>
    Array.from({ length: 1 + random.below(5) }, () => PIECES[random.below(PIECES.length)]).join(""),
  );
  const texts = [...FORMULAS, ...drawn];
  const file = csvLine(["number", "text"]) + texts.map((text, index) => csvLine([index, freeText(text)])).join("");
  return { texts, file };
}

/** What rest.md says: an apostrophe at the start, and one after each semicolon, tab and line break. */
const withoutMarks = (cell: string) => cell.replace(/(^|[;\t\n]|\r\n?)'/g, "$1");

/** Cells as programs divide a file at other characters: only a quote at the start of a cell holds it together. */
function cellsOf(file: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= file.length; at += 1) {
    let cell = "";
    if (file[at] === '"') {
      for (at += 1; at < file.length && (file[at] !== '"' || file[at + 1] === '"'); at += 1) {
        if (file[at] === '"') at += 1;
        cell += file[at];
      }
      at += 1;
    }
    for (; at < file.length && !["\r", "\n", separator].includes(file[at] ?? ""); at += 1) cell += file[at];
    cells.push(cell);
  }
  return cells;
}

test.each([",", ";", "\t"])("no cell is a formula where %j separates cells", (separator) => {
  const { file } = drawnFile();
  const attacks = [
    "x;=cmd|' /C calc'!A0",
    "x\t=1+1",
    'x;"=1+1"',
    ';""=1+1',
    "x\r\n=1+1",
    "x;\u3000＝1",
    "x; =1+1",
    "'=1+1",
  ];
  const all = file + attacks.map((text) => csvLine([0, freeText(text), "end"])).join("");
  const cells = cellsOf(all, separator);
  expect(cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/u.test(cell))).toEqual([]);
  expect(attacks.map((text) => withoutMarks(freeText(text)))).toEqual(attacks);
});

test("a text that a reader takes for a value is marked, and a text that is clear is not", () => {
  const values = "0012345|12e5| 7|.5|$5|(3)|12:30|2026-01-01|1/2|٣|NaN|true|NA|Mar 1".split("|");
  expect(values.map(freeText)).toEqual(values.map((text) => `'${text}`));
  const texts = ["hello", "order 66", "true love", "日本", "N1", "1".repeat(0)];
  expect(texts.map(freeText)).toEqual(texts);
});

test("PostgreSQL and a reader of RFC 4180 load any text of a stranger, and no cell is a formula", async () => {
  const { texts, file } = drawnFile();
  const loadable = texts.map((text) => text.replaceAll("\0", "\ufffd"));
  const cells = readCsv(file).map(({ text = "" }) => text);
  expect(cells.map(withoutMarks)).toEqual(loadable);
  expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/u.test(cell))).toEqual([]);
  expect(cells.filter((cell) => cell.trim() !== "" && !Number.isNaN(Number(cell)))).toEqual([]);

  // The server reads it: it may run as another user.
  const name = path.join(folder, "texts.csv");
  await writeFile(name, file);
  await chmod(folder, 0o755);
  await client.query("create table texts (number int, text text)");
  await client.query(`copy texts from ${client.escapeLiteral(name)} with (format csv, header)`);
  const { rows } = await client.query<{ text: string }>("select text from texts order by number");
  expect(rows.map(({ text }) => text)).toEqual(cells);
});

const GNUMERIC = "Gnumeric loads any text of a stranger, and no cell as a formula";
const ssconvert = findProgram("ssconvert");
/** How its XML names a number. */
const NUMBER = "40";
/** Its XML has none of them. */
const CONTROLS = /(?![\t\r\n\u0085])\p{Cc}/gu;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
if (ssconvert === undefined) skip(GNUMERIC, lacking("ssconvert"));
else
  test(GNUMERIC, async () => {
    const { texts, file } = drawnFile();
    const [name, table] = [path.join(folder, "gnumeric.csv"), path.join(folder, "table.xml")];
    await writeFile(name, file + csvLine([texts.length, "=1+1"]));
    const kinds = ["-I", "Gnumeric_stf:stf_csvtab", "-T", "Gnumeric_XmlIO:sax:0"];
    const { status } = spawnSync(ssconvert, [...kinds, name, table], { stdio: "ignore", env: { HOME: folder } });
    expect(status).toBe(0);
    const xml = await readFile(table, "utf8");
    const found = [...xml.matchAll(/<gnm:Cell Row="\d+" Col="1"([^>]*?)(?:\/>|>([^<]*)<\/gnm:Cell>)/g)].slice(1);
    const kindOf = (attributes = "") => /ValueType="(\d+)"/.exec(attributes)?.[1];
    // The last one, which is not a stranger's, is a formula: it has no value.
    expect(found.map(([, attributes]) => kindOf(attributes)).lastIndexOf(undefined)).toBe(texts.length);
    expect(found.findIndex(([, attributes]) => kindOf(attributes) === undefined)).toBe(texts.length);
    const values = found.slice(0, texts.length).map(([, attributes, text = ""]) => {
      const value = text.replace(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole);
      return kindOf(attributes) === NUMBER ? Number(value) : value;
    });
    // An apostrophe at the start says that a text follows.
    const expected = readCsv(file).map(({ text = "" }) => text.replace(/^'/, "").replace(CONTROLS, ""));
    // A sign may be behind a number.
    const numberOf = (text: string) => Number(text.replace(/[+-]\s*$/, ""));
    expect(values).toEqual(expected.map((text, index) => (typeof values[index] === "number" ? numberOf(text) : text)));
  });

const PYTHON = ["pandas", "polars", "duckdb"].map((name) => ({ name, test: `${name} reads ids and memos as texts` }));
const python = findProgram("python3");
const canImport = (name: string) => python && spawnSync(python, ["-c", `import ${name}`]).status === 0;
const PAGE = readFileSync("docs/rest.md", "utf8");
const RECORDS: Readonly<Record<string, string>> = {
  pandas: "table.to_dict('records')",
  polars: "table.to_dicts()",
  duckdb: "[dict(zip(table.columns, row)) for row in table.fetchall()]",
};
/** Ids that are numbers to many, with memos that are too. */
const IDS = ["000000000E00000000000000", "000000000000000000000001", "123456789012345678901234"];
const MEMOS = ["0012345", "7", "1e5"];

for (const { name, test: title } of PYTHON) {
  if (!canImport(name)) skip(title, `no Python with ${name}: pip install ${name}`);
  else
    test(title, async () => {
      const file = path.join(folder, `${name}.csv`);
      const lines = IDS.map((id, place) => csvLine([place, id, freeText(MEMOS[place]!)]));
      await writeFile(file, csvLine(["number", "id", "message"]) + lines.join(""));
      const readBy = (call: string) => {
        const program = `import json, sys, ${name}
file = sys.argv[1]
table = ${call}
print(json.dumps(${RECORDS[name]}))`;
        const { stdout, stderr, status } = spawnSync(python!, ["-c", program, file], { encoding: "utf8" });
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        return JSON.parse(stdout) as { id: unknown; message: unknown }[];
      };
      const marked = MEMOS.map((memo) => `'${memo}`);
      expect(readBy(`${name}.read_csv(file)`).map(({ message }) => message)).toEqual(marked);
      const [call = ""] = new RegExp(`${name}\\.read_csv\\(file, .*\\)`).exec(PAGE) ?? [];
      const found = readBy(call);
      expect(found.map(({ id }) => id)).toEqual(IDS);
      expect(found.map(({ message }) => message)).toEqual(marked);
    });
}
