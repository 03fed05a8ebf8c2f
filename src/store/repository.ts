import type { LockedItems } from './batch.ts'
import type { Codec } from './codec.ts'
import type { Deferred } from './deferred.ts'
import type { SingleStatement } from './single-statement.ts'

/** A method that runs one query or one transaction. */
export type Call<Function> = Function extends (tx: never) => Promise<infer Output>
  ? () => Promise<Output>
  : Function extends (tx: never, input: infer Input) => Promise<infer Output>
    ? (input: Input) => Promise<Output>
    : never

/** A method whose concurrent calls share one transaction: each caller passes one item and gets its own result. */
export type BatchedCall<Function> = Function extends (
  tx: never,
  items: Array<infer Item>,
) => Promise<Array<infer Output>>
  ? (item: Item) => Promise<Exclude<Output, Deferred>>
  : never

/** The methods that are made of a repository's functions. */
export type Methods<Repository> = Repository extends { reads: infer R; writes: infer W; batches: infer B }
  ? { [Name in keyof R]: Call<R[Name]> } & { [Name in keyof W]: Call<W[Name]> } & {
      [Name in keyof B]: BatchedCall<B[Name]>
    }
  : never

/** The optional parts of a batch besides its transaction, by the name of its method. */
export interface BatchExtras {
  singleStatements?: Record<string, SingleStatement>
  lockedItems?: Record<string, LockedItems>
  codecs?: Record<string, Codec>
}
