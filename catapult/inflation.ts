import { type Properties, PropertyError } from "./properties.js";

/** From `height` on, each block makes `amount` of the currency (atomic units). */
export interface InflationStep {
  readonly height: number;
  readonly amount: bigint;
}

/**
 * The steps in a node's `config-inflation.properties`, by height.
 * @throws PropertyError for a property of another form
 */
export function inflationSteps(properties: Properties): readonly InflationStep[] {
  const section = properties.section("inflation");
  return section
    .names()
    .map((name) => {
      const height = Number(/^starting-at-height-(\d+)$/.exec(name)?.[1]);
      if (!height) throw new PropertyError(`[inflation] ${name}: expected starting-at-height-<height>`);
      return { height, amount: section.bigint(name) };
    })
    .sort((left, right) => left.height - right.height);
}

/** The step that holds at `height`; undefined below the first. */
export function inflationStepAt(steps: readonly InflationStep[], height: number): InflationStep | undefined {
  return steps.findLast((step) => step.height <= height);
}
