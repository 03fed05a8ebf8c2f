import type { PosternClient } from '#sdk'
import { applyAll, type Imported } from './apply.ts'
import { EVOLUTION_EVENTS, WAHA_EVENTS } from './categories.ts'
import { readEvolution } from './evolution.ts'
import { ImportError } from './import-error.ts'
import { type Gateway, type ParseEnv, readSource } from './read-source.ts'
import { readWaha } from './waha.ts'

export type { Imported } from './apply.ts'
export { ImportError } from './import-error.ts'

export interface ImportOptions {
  from: Gateway
  /** A file, a folder, or the address of the other gateway. */
  source: string
  /** The API key of the other gateway. */
  theirKey: string | undefined
  /** Reports what would be written, and writes nothing. */
  isDry: boolean
}

export interface ImportDeps {
  connect: () => Promise<PosternClient>
  parseEnv: ParseEnv
}

const ENV_NOT_READ = 'webhooks set in their environment were not seen: name the folder with their .env'

const READERS = {
  waha: { read: readWaha, table: WAHA_EVENTS },
  evolution: { read: readEvolution, table: EVOLUTION_EVENTS },
} as const

/** Returns what became of each number of the other gateway. */
export async function importSetup(
  { from, source, theirKey, isDry }: ImportOptions,
  { connect, parseEnv }: ImportDeps,
): Promise<Imported[]> {
  const { read, table } = READERS[from]
  const found = await readSource(from, source, { theirKey, parseEnv })
  const notRead = found.isWithoutSettings ? [ENV_NOT_READ] : []
  const numbers = read(found).map(one => ({ ...one, left: [...one.left, ...notRead] }))
  if (numbers.length === 0)
    throw new ImportError(`${source} lists no sessions of ${from}. See \`postern import --help\`.`)
  return await applyAll(await connect(), numbers, { table, isDry })
}
