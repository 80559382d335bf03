import { createHash } from "node:crypto";
import type { RequestGroup } from "./recorded-requests.js";

/** Hex digits of each body's hash in the snapshot. */
const DIGITS = 8;
const AT_ONCE = 8;

/** Hashes of bodies by the name of their group, concatenated in the order of the paths. */
export type BodyHashes = Readonly<Record<string, string>>;

/**
 * Requests every path of a gateway and hashes the bodies.
 * @throws Error naming a path that is not answered with 200
 */
export async function hashBodies(url: string, groups: readonly RequestGroup[]): Promise<BodyHashes> {
  const hashes: Record<string, string> = {};
  for (const { name, paths } of groups) {
    let digits = "";
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      const some = await Promise.all(paths.slice(start, start + AT_ONCE).map((path) => hashOf(`${url}${path}`)));
      digits += some.join("");
    }
    hashes[name] = digits;
  }
  return hashes;
}

async function hashOf(url: string): Promise<string> {
  const answer = await fetch(url);
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${url} was answered with ${answer.status}: ${body}`);
  const hash = createHash("sha256").update(`${answer.status} `).update(body);
  return hash.digest("hex").slice(0, DIGITS);
}

/** The paths whose bodies differ between two results of {@link hashBodies}. */
export function differingPaths(groups: readonly RequestGroup[], left: BodyHashes, right: BodyHashes): string[] {
  const hashAt = (hashes: BodyHashes, name: string, index: number) =>
    hashes[name]?.slice(index * DIGITS, (index + 1) * DIGITS);
  return groups.flatMap(({ name, paths }) =>
    paths.filter((_, index) => hashAt(left, name, index) !== hashAt(right, name, index)),
  );
}
