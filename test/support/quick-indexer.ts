import { runIndexer } from "../../cli/commands/indexer.js";
import { loadSettings } from "../../cli/settings/settings.js";

/** `symbol-gateway indexer`, which polls its node more often: a test that kills it need not wait for its work. */
process.exit(await runIndexer(loadSettings(process.env).settings, { limits: { pollMs: 20 } }));
