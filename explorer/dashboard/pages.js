// All pages in one file, which browsers load once.

import { startExplorer } from "./explorer/main.js";
import { startDashboard } from "./main.js";
import { root } from "./place.js";
import { rememberLanguage } from "./words.js";

document.getElementById("language").addEventListener("change", ({ target }) => {
  rememberLanguage(target.value, root.pathname);
  location.reload();
});

await (document.querySelector("main.explorer") ? startExplorer() : startDashboard());
