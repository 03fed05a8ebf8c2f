import { getOwn } from '../runtime/get-own.ts'
import type { Codec } from './codec.ts'
import { repositories, type RepositoryName } from './repositories.ts'
import type { BatchExtras } from './repository.ts'
import type { Tx } from './transaction.ts'

/** A transaction by its repository and method; threads pass this name to each other. */
export interface TransactionName {
  repository: RepositoryName
  name: string
}

type Run = (tx: Tx, input: unknown) => Promise<unknown>

/** Runs one function of a repository inside a transaction. A batch receives the items of all its callers. */
export async function runTransaction(tx: Tx, { repository, name }: TransactionName, input: unknown): Promise<unknown> {
  const { writes, batches } = repositories[repository]
  const run = getOwn(writes as Record<string, Run>, name) ?? getOwn(batches as Record<string, Run>, name)
  if (run === undefined) throw new Error(`the repository ${repository} has no transaction ${name}`)
  return await run(tx, input)
}

/** The codec of a batch for another thread; `undefined` if its items are sent as they are. */
export function codecOf({ repository, name }: TransactionName): Codec | undefined {
  const { codecs = {} } = repositories[repository] as BatchExtras
  return getOwn(codecs, name)
}
