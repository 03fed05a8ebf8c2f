import { AsyncLocalStorage } from 'node:async_hooks'

const acting = new AsyncLocalStorage<string>()

/** Runs `work`: all it creates, now or later, counts for the owner, an account or an unclaimed number. */
export const onBehalfOf = <T>(owner: string, work: () => T): T => acting.run(owner, work)

/** The owner on whose behalf the code runs; empty outside of `onBehalfOf`. */
export const currentOwner = (): string => acting.getStore() ?? ''
