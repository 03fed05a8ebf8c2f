import { AsyncLocalStorage } from 'node:async_hooks'

const acting = new AsyncLocalStorage<string>()

/** Whatever `work` makes, now or later, is the owner's: an account, or a number that nobody claims. */
export const onBehalfOf = <T>(owner: string, work: () => T): T => acting.run(owner, work)

/** Whose the thing is that is made now; empty where nobody asked for it. */
export const currentOwner = (): string => acting.getStore() ?? ''
