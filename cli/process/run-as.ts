import { execFile } from "node:child_process";

/** A user of the operating system that a program runs as. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/** The environment of database programs: no outside influence (PGDATA, PGPORT…), English messages. */
export const databaseEnvironment: NodeJS.ProcessEnv = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a program to its end, as `user` if one is given (only root can do that).
 * @param cwd working folder; entered before the user is changed, so the user need not have access to it
 * @returns what it wrote to stdout
 * @throws Error with what it wrote to stderr, when it could not be started or ended with another code than 0
 */
export function runAs(
  user: OsUser | undefined,
  program: string,
  args: readonly string[],
  cwd: string = "/",
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: databaseEnvironment, ...(user && { uid: user.uid, gid: user.gid }) };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(stderr.trim() || error.message, { cause: error }));
    });
  });
}
