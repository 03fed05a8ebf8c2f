import type { Store, WholeStore } from '../../src/store/store.ts'

/** Units that no role asks for: tests make with them what they need. */
export const unlisted = (store: Store): WholeStore['unlisted'] => (store as WholeStore).unlisted
