import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

interface Frame {
  owner: object
  value: unknown
  outer: Frame | undefined
}

const frames = new AsyncLocalStorage<Frame>()

/** A replacement for AsyncLocalStorage; all instances together cost as much as one. */
export class SharedStorage<T> {
  run<R>(value: T, work: () => R): R {
    return frames.run({ owner: this, value, outer: frames.getStore() }, work)
  }

  getStore(): T | undefined {
    for (let frame = frames.getStore(); frame; frame = frame.outer) if (frame.owner === this) return frame.value as T
    return undefined
  }
}

/**
 * Returns a function that clears the storage entered last inside of this one, which async work begun there keeps alive.
 */
export function clearLater(around: object): () => void {
  const frame = frames.getStore()
  return () => {
    if (frame !== undefined && frame.owner !== around) frame.value = undefined
  }
}

/**
 * Node keeps every AsyncLocalStorage that was ever used, and iterates over all of them for each new promise. The
 * library creates one for each connection, so each number and each reconnect would slow down all numbers. Storages that
 * are created inside of `make` share one.
 */
export function withSharedStorage<T>(make: () => T): T {
  const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage')!
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { ...plain, value: SharedStorage })
  syncBuiltinESMExports()
  try {
    return make()
  } finally {
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original)
    syncBuiltinESMExports()
  }
}

const plain = { writable: true, enumerable: true, configurable: true }
