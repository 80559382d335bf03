import { runGateway } from "../../cli/commands/gateway.js";
import { loadSettings } from "../../cli/settings/settings.js";

/** `symbol-gateway gateway` that keeps no answers: every request is answered from the database. */
process.exit(await runGateway(loadSettings(process.env).settings, { limits: { responseCacheBytes: 0 } }));
