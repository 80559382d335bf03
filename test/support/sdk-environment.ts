import { TestEnvironment } from "jest-environment-node";

/**
 * Jest gives each test file its own ArrayBuffer and typed arrays, beside Node's own. Libraries under symbol-sdk 2 compare
 * constructors and reject the other kind, so here the test file gets Node's.
 */
export default class SdkEnvironment extends TestEnvironment {
  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    super(...args);
    Object.assign(this.global, { ArrayBuffer, Uint8Array, Uint16Array, Uint32Array, Int32Array });
  }
}
