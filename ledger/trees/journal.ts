/** A position in a journal to which the state can be rolled back. */
export type Checkpoint = number;

/**
 * Records how to undo the changes of the state, newest last. All maps and values of a state share one journal, so
 * that a transaction that fails half-way, or a block that a fork drops, leaves nothing behind.
 */
export class Journal {
  #undos: (() => void)[] = [];
  /** Number of discarded entries: checkpoints count from the first entry ever recorded. */
  #forgotten = 0;
  #section = 0;

  /** Differs before and after a checkpoint, and after undos were run or discarded. */
  get section(): number {
    return this.#section;
  }

  /** Records how to undo a change that is made now. */
  record(undo: () => void): void {
    this.#undos.push(undo);
  }

  checkpoint(): Checkpoint {
    this.#section += 1;
    return this.#forgotten + this.#undos.length;
  }

  /** Undoes everything since `checkpoint`, newest first. Throws a RangeError if that was discarded. */
  revertTo(checkpoint: Checkpoint): void {
    const length = checkpoint - this.#forgotten;
    if (length < 0) throw new RangeError(`cannot revert to checkpoint ${checkpoint}: it was discarded`);
    this.#section += 1;
    while (this.#undos.length > length) this.#undos.pop()?.();
  }

  /** Makes the changes since `checkpoint` permanent: they stay when older changes are undone. */
  forgetSince(checkpoint: Checkpoint): void {
    this.#section += 1;
    this.#undos.length = Math.max(0, checkpoint - this.#forgotten);
  }

  /** Discards the data for going back before `checkpoint`. */
  forgetBefore(checkpoint: Checkpoint): void {
    const count = checkpoint - this.#forgotten;
    if (count <= 0) return;
    this.#section += 1;
    this.#undos = this.#undos.slice(count);
    this.#forgotten += count;
  }
}

const ABSENT = Symbol("absent");

/**
 * A map whose changes are recorded in a journal. Values must not be modified in place. With a `parent` it shows the
 * parent's entries but keeps changes to itself; the parent must not change meanwhile.
 */
export class JournaledMap<K, V> {
  readonly #journal: Journal;
  readonly #parent: JournaledMap<K, V> | undefined;
  /** `undefined` hides an entry of the parent. */
  readonly #values = new Map<K, V | undefined>();
  /** Of a section of the journal: the entries that were changed in it, as they were before. */
  #changed: { readonly section: number; readonly before: Map<K, V | undefined | typeof ABSENT> } | undefined;

  constructor(journal: Journal, parent?: JournaledMap<K, V>) {
    this.#journal = journal;
    this.#parent = parent;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    return value === undefined && this.#parent && !this.#values.has(key) ? this.#parent.get(key) : value;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** Returns the entry that is replaced, if any. */
  set(key: K, value: V): V | undefined {
    const previous = this.#noteChange(key);
    this.#values.set(key, value);
    return previous === undefined && this.#parent ? this.#parent.get(key) : previous;
  }

  /** Adds a value without an entry in the journal. */
  load(key: K, value: V): void {
    this.#values.set(key, value);
  }

  delete(key: K): void {
    if (!this.has(key)) return;
    this.#noteChange(key);
    if (this.#parent) this.#values.set(key, undefined);
    else this.#values.delete(key);
  }

  /** Removes entries permanently, without an entry in the journal. */
  forget(isForgotten: (value: V) => boolean): void {
    for (const [key, value] of this.#values) {
      if (value !== undefined && isForgotten(value)) this.#values.delete(key);
    }
  }

  /** Number of entries of this map alone, without its parent's, including those that hide one of the parent's. */
  get size(): number {
    return this.#values.size;
  }

  /** The keys of this map alone, without its parent's. */
  ownKeys(): Iterable<K> {
    return this.#values.keys();
  }

  /** The entries of this map alone, without its parent's. */
  ownValues(): readonly V[] {
    return [...this.#values.values()].filter((value) => value !== undefined);
  }

  /** Returns the entry of this map alone. */
  #noteChange(key: K): V | undefined {
    const previous = this.#values.get(key);
    const before = this.#beforeSection();
    // A block may change an account a hundred thousand times.
    if (!before.has(key)) before.set(key, previous === undefined && !this.#values.has(key) ? ABSENT : previous);
    return previous;
  }

  #beforeSection(): Map<K, V | undefined | typeof ABSENT> {
    const { section } = this.#journal;
    if (this.#changed?.section === section) return this.#changed.before;
    const before = new Map<K, V | undefined | typeof ABSENT>();
    this.#changed = { section, before };
    this.#journal.record(() => {
      for (const [key, value] of before) {
        if (value === ABSENT) this.#values.delete(key);
        else this.#values.set(key, value);
      }
    });
    return before;
  }
}

/** A single value whose changes are recorded in a journal. */
export class JournaledValue<V> {
  readonly #journal: Journal;
  #value: V;

  constructor(journal: Journal, value: V) {
    this.#journal = journal;
    this.#value = value;
  }

  get(): V {
    return this.#value;
  }

  /** Replaces the value without an entry in the journal. */
  load(value: V): void {
    this.#value = value;
  }

  set(value: V): void {
    const previous = this.#value;
    if (value === previous) return;
    this.#value = value;
    this.#journal.record(() => {
      this.#value = previous;
    });
  }
}

/** Which keys are due at which height. A height may have hundreds of thousands: each change takes the same time. */
export class HeightGroups<K> {
  readonly #journal: Journal;
  readonly #parent: HeightGroups<K> | undefined;
  /** `false` hides a key of the parent. */
  readonly #groups = new Map<bigint, Map<K, boolean>>();

  constructor(journal: Journal, parent?: HeightGroups<K>) {
    this.#journal = journal;
    this.#parent = parent;
  }

  add(height: bigint, key: K): void {
    if (!this.#has(height, key)) this.#change(height, key, true);
  }

  /** Like `add`, without an entry in the journal. */
  load(height: bigint, key: K): void {
    this.#put(height, key, true);
  }

  remove(height: bigint, key: K): void {
    if (this.#has(height, key)) this.#change(height, key, this.#parent && false);
  }

  /** Removes a whole height. */
  clear(height: bigint): void {
    for (const key of this.at(height)) this.remove(height, key);
  }

  /** The keys of a height, in no certain order. */
  at(height: bigint): readonly K[] {
    const group = this.#groups.get(height);
    const above = this.#parent?.at(height).filter((key) => !group?.has(key)) ?? [];
    return group ? [...above, ...[...group].flatMap(([key, isDue]) => (isDue ? [key] : []))] : above;
  }

  #has(height: bigint, key: K): boolean {
    return this.#groups.get(height)?.get(key) ?? (this.#parent ? this.#parent.#has(height, key) : false);
  }

  #change(height: bigint, key: K, value: boolean | undefined): void {
    const previous = this.#groups.get(height)?.get(key);
    this.#put(height, key, value);
    this.#journal.record(() => this.#put(height, key, previous));
  }

  #put(height: bigint, key: K, value: boolean | undefined): void {
    const group = this.#groups.get(height) ?? new Map<K, boolean>();
    if (value === undefined) group.delete(key);
    else group.set(key, value);
    if (group.size > 0) this.#groups.set(height, group);
    else this.#groups.delete(height);
  }
}
