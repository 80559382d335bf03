const CHECK_MS = 500;

/**
 * Calls back once when npm or npx, which started this process, has ended: a killed one cannot notify it, but the id of
 * the parent process changes. Programs started in another way outlive their parent, as usual.
 * @returns a function that ends the watch
 */
export function onNpmEnd(ended: () => void): () => void {
  if (!process.env.npm_lifecycle_event || process.send) return () => undefined;
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    ended();
  }, CHECK_MS);
  watch.unref();
  return () => clearInterval(watch);
}
