/** Bytes that are no entity of this network: `field` names the place, such as `transactions[3].network`. */
export class EntityError extends Error {
  readonly field: string;

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}`, options);
    this.name = "EntityError";
    this.field = field;
  }
}
