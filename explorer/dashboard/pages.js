// All pages in one file, which browsers load once.

import { startExplorer } from "./explorer/main.js";
import { startDashboard } from "./main.js";

await (document.querySelector("main.explorer") ? startExplorer() : startDashboard());
