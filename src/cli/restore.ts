import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../runtime/clock.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { ABOUT_KEY_CHECK } from '../domain/sealed.ts'
import { Seal } from '../store/seal.ts'
import { type BackupFacts, examineBackup } from '../store/sqlite/backup.ts'
import { databasePath, lockDataFolder } from '../store/sqlite/data-folder.ts'
import { counts, onlyOne } from './backup.ts'

export const restoreHelp = `postern restore <file> [--replace] [--json]

Puts a copy that \`postern backup\` made into the data folder. Stop the gateway
first. The copy is looked through before: whether it is whole, and whether
POSTERN_SECRET_KEY opens it.

What was accepted or received after the copy was made is not in it. Numbers stay
linked; what their contacts write under newer keys than the copy has is asked
for again by itself.

  --from      the copy, where it is not the first word
  --replace   where the folder has a database: it is kept beside the new one,
              under another name
  --json      what it holds as JSON, for a script`

export interface RestoreOptions {
  from?: string | undefined
  replace?: boolean | undefined
  json?: boolean | undefined
}

export async function restore(options: RestoreOptions, env: NodeJS.ProcessEnv, file?: string): Promise<void> {
  const config = readConfig(env)
  if (config.databaseUrl !== null)
    throw new ConfigError('POSTERN_DATABASE_URL is set: restore PostgreSQL with its own tools.')
  const given = onlyOne('--from', options.from, file)
  if (given === undefined) throw new ConfigError('<file> is missing: name the copy.')
  const from = resolve(given)
  const facts = examineBackup(from)
  if ('wrong' in facts) throw new ConfigError(`${from} cannot be restored: ${facts.wrong}.`)
  refuseOtherKey(config, facts)
  const { release } = lockDataFolder(config.dataDir)
  try {
    const kept = makeRoom(databasePath(config.dataDir), options.replace === true)
    putInPlace(from, databasePath(config.dataDir))
    if (options.json) return console.log(JSON.stringify({ restored: from, kept, ...counts(facts) }))
    console.log(`Restored ${facts.accounts} accounts, ${facts.sessions} numbers and ${facts.messages} messages.`)
    if (kept !== null) console.log(`What was there before is ${kept}.`)
  } finally {
    release()
  }
}

function refuseOtherKey({ secretKeys }: Config, { keyCheck }: BackupFacts): void {
  try {
    new Seal(secretKeys).open(Buffer.from(keyCheck, 'base64'), ABOUT_KEY_CHECK)
  } catch {
    throw new ConfigError('POSTERN_SECRET_KEY is not the key that this copy was sealed with. Set that one.')
  }
}

/** Where a database is in the way it is kept, with what belongs to it. Answers its new name. */
function makeRoom(path: string, mayReplace: boolean): string | null {
  if (!existsSync(path)) return null
  if (!mayReplace)
    throw new ConfigError(`POSTERN_DATA_DIR: ${path} is there. Say --replace to keep it under another name.`)
  const kept = `${path}.before-${systemClock
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')}`
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  return kept
}

/** Whole or not at all. */
function putInPlace(from: string, path: string): void {
  const copy = `${path}.restoring`
  rmSync(copy, { force: true })
  copyFileSync(from, copy)
  chmodSync(copy, 0o600)
  renameSync(copy, path)
}
