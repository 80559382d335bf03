import { type Properties, PropertyError } from "./properties.js";

/** From `height` on, each block creates `amount` of the currency (atomic units). */
export interface InflationStep {
  readonly height: number;
  readonly amount: bigint;
}

const STEP = /^starting-at-height-/;

/**
 * The steps in a node's `config-inflation.properties`, by height. Unknown properties of newer nodes are ignored.
 * @throws PropertyError for a step whose height or amount is not a number
 */
export function inflationSteps(properties: Properties): readonly InflationStep[] {
  const section = properties.section("inflation");
  return section
    .names()
    .filter((name) => STEP.test(name))
    .map((name) => {
      const height = Number(/^starting-at-height-(\d+)$/.exec(name)?.[1]);
      if (!height) throw new PropertyError(`[inflation] ${name}: expected starting-at-height-<height>`);
      return { height, amount: section.bigint(name) };
    })
    .sort((left, right) => left.height - right.height);
}

/** The step in effect at `height`; undefined below the first. */
export function inflationStepAt(steps: readonly InflationStep[], height: number): InflationStep | undefined {
  return steps.findLast((step) => step.height <= height);
}
