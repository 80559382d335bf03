import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** A server in a process of its own, which sends `{ port }` to its parent when it listens. */
export class ServerProcess {
  readonly port: number;
  readonly process: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.process = child;
  }

  /** @throws Error when the program ends before it listens */
  static async start(program: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const child = fork(program, {
      cwd: path.dirname(program),
      execArgv: [],
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`${program} ended with ${code} before it listened`);
    });
    ended.catch(() => undefined);
    const [{ port }] = (await Promise.race([once(child, "message"), ended])) as [{ port: number }];
    return new ServerProcess(port, child);
  }

  stop(): void {
    this.process.kill();
  }
}
