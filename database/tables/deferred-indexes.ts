/** Indexes that are left out for now, until somebody makes them again. */
export interface DeferredIndexTable {
  name: string;
  /** The statement that makes it. */
  definition: string;
}
