import { connect } from "node:net";

const TIMEOUT_MS = 5_000;

/** @returns why nothing listens at a TCP port, in a phrase; undefined if something does */
export function reach({ host, port }: { readonly host: string; readonly port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(`${host}:${port} does not respond within ${TIMEOUT_MS} ms`));
    socket.once("connect", () => end());
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const isName = error.code === "ENOTFOUND" || error.code === "EAI_AGAIN";
      // Of several addresses, the error has only a code.
      end(isName ? `${host} does not resolve` : error.message || `connect ${error.code} ${host}:${port}`);
    });
  });
}
