import { hasEnded } from "../../catapult/state/end.js";
import type { NamespaceState } from "../../catapult/state/namespace.js";

/**
 * Number of earlier registrations of a root that a node still keeps: `meta.index` of the root and of its children. Each
 * registration adds one, a renewal too; those that ended at or below the finalized height are forgotten.
 * @param durations of the root's registrations from its start on, in blocks, oldest first: all but the first are renewals
 * @param earlierEnds ends of registrations before this start, after which it was registered again
 */
export function namespaceIndex(
  root: NamespaceState,
  durations: readonly bigint[],
  finalizedHeight: number,
  earlierEnds: readonly bigint[] = [],
): number {
  const ends = [...earlierEnds];
  let end = root.endHeight;
  for (const duration of durations.slice(1).reverse()) {
    end -= duration;
    ends.push(end);
  }
  return ends.filter((one) => !hasEnded(one, finalizedHeight)).length;
}

const META = '"meta":{';

/** Inserts `meta.active` into a document rendered by `renderNamespace`. Throws `TypeError` if it is no such document. */
export function withActive(document: string, isActive: boolean): string {
  const place = document.indexOf(META) + META.length;
  if (place < META.length) throw new TypeError("the document of a namespace has a meta object");
  return `${document.slice(0, place)}"active":${isActive},${document.slice(place)}`;
}
