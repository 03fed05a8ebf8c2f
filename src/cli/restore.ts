import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../runtime/clock.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { ABOUT_KEY_CHECK } from '../domain/sealed.ts'
import { Seal } from '../store/seal.ts'
import { type BackupFacts, examineBackup } from '../store/sqlite/backup.ts'
import { databasePath, lockDataFolder } from '../store/sqlite/data-folder.ts'
import { counts, onlyOne } from './backup.ts'
import { toJson } from './terminal.ts'

export const restoreHelp = `postern restore <file> [--replace] [--json]

Restores a copy from \`postern backup\` to the data folder. Stop the gateway
first. The command checks that the copy is complete and that POSTERN_SECRET_KEY
decrypts it.

The copy does not have messages that the gateway accepted or received later.
Numbers stay linked. If contacts write with newer keys than the copy has, the
gateway requests those messages again automatically.

  --from      the same as <file>
  --replace   if the folder has a database, keep it under another name
  --json      print a summary of the copy as JSON, for scripts`

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
  checkKey(config, facts)
  const { release } = lockDataFolder(config.dataDir)
  try {
    const kept = makeRoom(databasePath(config.dataDir), options.replace === true)
    await putInPlace(from, databasePath(config.dataDir))
    if (options.json) return console.log(toJson({ restored: from, kept, ...counts(facts) }))
    console.log(`Restored ${facts.accounts} accounts, ${facts.sessions} numbers and ${facts.messages} messages.`)
    if (kept !== null) console.log(`The previous database is now ${kept}.`)
  } finally {
    release()
  }
}

function checkKey({ secretKeys }: Config, { keyCheck }: BackupFacts): void {
  try {
    new Seal(secretKeys).open(Buffer.from(keyCheck, 'base64'), ABOUT_KEY_CHECK)
  } catch {
    throw new ConfigError('POSTERN_SECRET_KEY is not the key of this copy. Set the key that encrypted it.')
  }
}

/** Renames an existing database and its files. Returns the new name. */
function makeRoom(path: string, mayReplace: boolean): string | null {
  if (!existsSync(path)) return null
  if (!mayReplace)
    throw new ConfigError(`POSTERN_DATA_DIR: ${path} exists. Give --replace to keep it under another name.`)
  const kept = `${path}.before-${systemClock
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')}`
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  return kept
}

/** Copies the file and renames it, so that the database is never incomplete. */
async function putInPlace(from: string, path: string): Promise<void> {
  const copy = `${path}.restoring`
  rmSync(copy, { force: true })
  // Not `copyFile`, which gives the copy the mode of the original.
  await pipeline(createReadStream(from), createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
  renameSync(copy, path)
}
