import { createHash } from 'node:crypto'
import type { SignalKeyStore } from 'baileys'
import { lookUp } from '../../../domain/look-up.ts'

/** A set of names that lives as long as the device, kept among its keys. */
export interface RememberedSet {
  has(name: string): Promise<boolean>
  add(name: string): Promise<void>
  delete(name: string): Promise<void>
  all(): Promise<string[]>
}

const BUCKETS = 32

type Loose = {
  get(category: string, ids: string[]): Promise<Record<string, string[]>>
  set(data: Record<string, Record<string, string[]>>): void
}

/** In buckets, so that a new name rewrites a small part alone. */
export function createRememberedSet(category: string, keys: () => SignalKeyStore): RememberedSet {
  const store = (): Loose => keys() as unknown as Loose
  const read = async (bucket: string): Promise<string[]> => lookUp(await store().get(category, [bucket]), bucket) ?? []
  const names = Array.from({ length: BUCKETS }, (_, index) => String(index))
  let changes: Promise<void> = Promise.resolve()
  /** One change after the other: each rewrites its bucket from what it has read. */
  const change = (name: string, to: (known: string[]) => string[]): Promise<void> => {
    const bucket = bucketOf(name)
    const changing = changes.then(async () => {
      const known = await read(bucket)
      const next = to(known)
      if (next.length !== known.length) store().set({ [category]: { [bucket]: next } })
    })
    changes = changing.catch(() => {})
    return changing
  }
  return {
    has: async name => (await read(bucketOf(name))).includes(name),
    add: name => change(name, known => (known.includes(name) ? known : [...known, name])),
    delete: name => change(name, known => known.filter(other => other !== name)),
    all: async () => Object.values(await store().get(category, names)).flat(),
  }
}

const bucketOf = (name: string): string => String(createHash('sha256').update(name).digest()[0]! % BUCKETS)
