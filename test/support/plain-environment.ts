import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/**
 * Jest's environment for Node.js with an ordinary global object. Jest's own is a proxy behind interceptors, so that every use of
 * `Buffer`, `BigInt` or `Object` costs a call. No test here replaces a timer.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...args);
    } finally {
      vm.createContext = createContext;
    }
  }
}
