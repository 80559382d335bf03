/** An account of the devnet, for showing. */
export interface DevelopmentAccount {
  readonly name: string;
  /** Base32, 39 characters. */
  readonly address: string;
  /** 64 hex digits. */
  readonly privateKey: string;
  /** Atomic units of the network's currency, decimal. */
  readonly balance: string;
}

const atomicUnits = 1_000_000n;

/** A table of the devnet's funded accounts. Their keys are meant to be known: they are worth nothing elsewhere. */
export function developmentAccounts(accounts: readonly DevelopmentAccount[]): string {
  const width = Math.max(...accounts.map(({ name }) => name.length));
  const lines = accounts.map(({ name, address, privateKey, balance }) => {
    const whole = (BigInt(balance) / atomicUnits).toLocaleString("en-US");
    return `  ${name.padEnd(width)}  ${address}  ${privateKey}  ${whole}`;
  });
  return [
    "Development accounts (name, address, private key, whole units of the currency); never use them on a real network:",
    ...lines,
  ].join("\n");
}
