/** Heights of blocks, inclusive. */
export interface HeightSpan {
  readonly from: number;
  readonly to: number;
}
