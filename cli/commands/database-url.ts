import { findDatabaseUrl } from "../parts/database.js";
import type { Command } from "./command.js";

/** `symbol-gateway database-url` */
export const databaseUrlCommand: Command = {
  description:
    "Prints DATABASE_URL, or the URL of the database of a running npm start:\n" +
    '  psql "$(symbol-gateway database-url)"',
  settings: ["DATABASE_URL", "DATA_DIR"],
  async run(settings) {
    process.stdout.write(`${await findDatabaseUrl(settings)}\n`);
    return 0;
  },
};
