const MARK = " — skipped: ";

/** The name under which a test counts as skipped; the summary of a run reads the reason from it. */
export function skippedName(name: string, reason: string): string {
  return `${name}${MARK}${reason}`;
}

/** The name and the reason in a name of {@link skippedName}; no reason for other tests. */
export function readSkippedName(fullName: string): { readonly name: string; readonly reason?: string } {
  const end = fullName.lastIndexOf(MARK);
  return end < 0 ? { name: fullName } : { name: fullName.slice(0, end), reason: fullName.slice(end + MARK.length) };
}
