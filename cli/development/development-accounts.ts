/** An account of the devnet, for showing. */
export interface DevelopmentAccount {
  readonly name: string;
  /** Base32, 39 characters. */
  readonly address: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  /** 64 hex digits. */
  readonly privateKey: string;
  /** Atomic units of the network's currency, decimal. */
  readonly balance: string;
}

const atomicUnits = 1_000_000n;

/** The devnet's funded accounts. Their keys are public: they are worthless elsewhere. */
export function developmentAccounts(accounts: readonly DevelopmentAccount[]): string {
  const width = Math.max(...accounts.map(({ name }) => name.length));
  const lines = accounts.flatMap(({ name, address, publicKey, privateKey, balance }) => {
    const whole = (BigInt(balance) / atomicUnits).toLocaleString("en-US");
    const indent = " ".repeat(width);
    return [
      `  ${name.padEnd(width)}  ${address}  ${whole}`,
      `  ${indent}  public   ${publicKey}`,
      `  ${indent}  private  ${privateKey}`,
    ];
  });
  return [
    "Development accounts (name, address, whole units of the currency); never use their keys on a real network:",
    ...lines,
  ].join("\n");
}
