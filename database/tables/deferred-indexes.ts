/** Indexes that are dropped for now, to be created again. */
export interface DeferredIndexTable {
  name: string;
  /** The statement that creates it. */
  definition: string;
}
