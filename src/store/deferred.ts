/**
 * The result of an item that a batch did not write. `locked`: another transaction holds a row that the item needs.
 * `undecided`: a single statement cannot decide on the item, so the transaction has to.
 */
export interface Deferred {
  kind: 'deferred'
  because: 'locked' | 'undecided'
}

export const LOCKED: Deferred = { kind: 'deferred', because: 'locked' }
export const UNDECIDED: Deferred = { kind: 'deferred', because: 'undecided' }
