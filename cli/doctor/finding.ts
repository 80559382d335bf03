/** What `doctor` has found about one thing. */
export interface Finding {
  /** `note`: it works, but not everything does. */
  readonly level: "ok" | "note" | "wrong";
  /** Such as `node client:7900`. */
  readonly subject: string;
  /** A phrase without a full stop. */
  readonly finding: string;
  /** What to do, a sentence without a full stop. */
  readonly advice?: string;
}

export const ok = (subject: string, finding: string): Finding => ({ level: "ok", subject, finding });

export const note = (subject: string, finding: string, advice?: string): Finding => ({
  level: "note",
  subject,
  finding,
  ...(advice !== undefined && { advice }),
});

export const wrong = (subject: string, finding: string, advice?: string): Finding => ({
  ...note(subject, finding, advice),
  level: "wrong",
});

/** One line for people. */
export function describeFinding({ level, subject, finding, advice }: Finding): string {
  const line = `${level.padEnd(5)}  ${subject}: ${finding}.${advice === undefined ? "" : ` ${advice}.`}`;
  return line.replaceAll(/\s*\n\s*/g, " ");
}

/** The text of an error that is shown in a finding, without its full stop. */
export function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
