import { readFileSync } from "node:fs";
import pg from "pg";

/** Relative to the folder of compiled tests. */
export const SQL_PAGE = new URL("../../../docs/sql.md", import.meta.url);

/** A question of docs/sql.md with its statement. */
export interface Question {
  readonly number: number;
  readonly title: string;
  readonly statement: string;
}

/** The questions of the page, in its order. */
export function sqlQuestions(): Question[] {
  const found = readFileSync(SQL_PAGE, "utf8").matchAll(/^### (\d+)\. (.+)\n\n```sql\n([^`]+)```/gm);
  return [...found].map(([, number, title = "", statement = ""]) => ({ number: Number(number), title, statement }));
}

/** The statements of one section of the page, in its order. */
export function sqlStatements(section: string): string[] {
  const [, text = ""] = readFileSync(SQL_PAGE, "utf8").split(`\n## ${section}\n`);
  return [...(text.split("\n## ")[0] ?? "").matchAll(/^```sql\n([^`]+)```/gm)].map(([, statement = ""]) => statement);
}

/** A statement with values in place of the variables of psql. */
export function withValues(statement: string, values: Readonly<Record<string, string>>): string {
  return statement.replace(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(values[name] ?? ""));
}
