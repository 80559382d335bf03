import { parentOf, readCommand } from "./process-identity.js";

const CHECK_MS = 500;
/** npx starts a program by a shell, which waits for it and survives npx. */
const SHELL = /^\S*sh -c /;
const NPM = /\bnp[mx]\b/;
/** Adopts processes whose parent has ended; in a container it may be npm itself. */
const FIRST_PROCESS = 1;

/**
 * Calls back once when npm or npx, which started this process, has ended: a killed one cannot notify it, but the id of
 * the parent process changes, or that of the shell's between them. Programs started in another way outlive their
 * parent, as usual.
 * @returns a function that ends the watch
 */
export function onNpmEnd(ended: () => void): () => void {
  if (!process.env.npm_lifecycle_event || process.send) return () => undefined;
  const parent = process.ppid;
  let hasEnded = false;
  const watch = async () => {
    const shell = SHELL.test((await readCommand(parent)) ?? "") ? parent : undefined;
    const npm = shell ? await parentOf(shell) : parent;
    const hasEndedBefore = npm === FIRST_PROCESS && !NPM.test((await readCommand(npm)) ?? "");
    const check = async () => {
      const isOrphan =
        hasEndedBefore || process.ppid !== parent || (shell !== undefined && (await parentOf(shell)) !== npm);
      if (hasEnded) return;
      if (isOrphan) ended();
      else setTimeout(check, CHECK_MS).unref();
    };
    await check();
  };
  void watch();
  return () => {
    hasEnded = true;
  };
}
