import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

interface Frame {
  owner: object
  value: unknown
  outer: Frame | undefined
}

const frames = new AsyncLocalStorage<Frame>()

/** What an AsyncLocalStorage is to the library and to us; all of them together cost as much as one. */
export class SharedStorage<T> {
  run<R>(value: T, work: () => R): R {
    return frames.run({ owner: this, value, outer: frames.getStore() }, work)
  }

  getStore(): T | undefined {
    for (let frame = frames.getStore(); frame; frame = frame.outer) if (frame.owner === this) return frame.value as T
    return undefined
  }
}

/** Answers what empties the storage that was entered last inside of this one: whatever was begun there holds on to it. */
export function emptiesLater(around: object): () => void {
  const frame = frames.getStore()
  return () => {
    if (frame !== undefined && frame.owner !== around) frame.value = undefined
  }
}

/**
 * Node keeps every AsyncLocalStorage that was ever used, and goes through all of them for each promise that is made. The
 * library makes one for each connection, so each number and each reconnect would slow down all numbers. What is made
 * inside of `make` shares one.
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
