/**
 * Replaces bitcore-mnemonic in tests: `symbol-sdk` loads it for wallets' phrases, which are not used here, and
 * each test file would spend a quarter of a second on that (see jest.config.js).
 */
export default class NoMnemonics {
  constructor() {
    throw new Error("Tests have no mnemonics: take them out of jest.config.js where they are needed");
  }
}
