/** SQLSTATE: five characters. */
const STATE = /^[0-9A-Z]{5}$/;
/** Its classes: connections, transactions that met another one, resources, an administrator, the system. */
const OUTAGE_STATES = /^(08|40|53|57|58)/;
/** Errors of the driver without a code. */
const CONNECTION_LOST = /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded when trying)/;

/**
 * Whether a statement failed because the server could not be reached, or could not run it now: the same statement may
 * succeed later. Otherwise the statement or its data are wrong.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (STATE.test(code)) return OUTAGE_STATES.test(code);
  return "syscall" in error || code === "ETIMEDOUT" || CONNECTION_LOST.test(error.message);
}
