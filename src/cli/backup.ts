import { chmodSync, existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, readConfig } from '../config.ts'
import { type BackupFacts, examineBackup, writeBackup } from '../store/sqlite/backup.ts'
import { databasePath } from '../store/sqlite/data-folder.ts'

export const backupHelp = `postern backup <file> [--json]

Writes a copy of the embedded database, as it is at one moment, while the
gateway runs or not. The copy is looked through before the command says that it
is done. Of PostgreSQL make backups with its own tools (pg_dump, pg_basebackup).

Everything secret in it is sealed with POSTERN_SECRET_KEY: keep that key, but
not beside the copy.

<file> must not be there yet.

  --to     the file, where it is not the first word
  --json   what it holds as JSON, for a script`

export interface BackupOptions {
  to?: string | undefined
  json?: boolean | undefined
}

export async function backup(options: BackupOptions, env: NodeJS.ProcessEnv, file?: string): Promise<void> {
  const config = readConfig(env)
  if (config.databaseUrl !== null)
    throw new ConfigError('POSTERN_DATABASE_URL is set: make backups of PostgreSQL with pg_dump or pg_basebackup.')
  const given = onlyOne('--to', options.to, file)
  if (given === undefined) throw new ConfigError('<file> is missing: name the file to write.')
  const [from, to] = [databasePath(config.dataDir), resolve(given)]
  if (!existsSync(from)) throw new ConfigError(`POSTERN_DATA_DIR: ${config.dataDir} has no database yet.`)
  if (existsSync(to)) throw new ConfigError(`${to} is there already. Name another file.`)
  try {
    writeBackup(from, to)
  } catch (error) {
    throw new ConfigError(`${to} cannot be written (${(error as Error).message}).`)
  }
  chmodSync(to, 0o600)
  const facts = examineBackup(to)
  if ('wrong' in facts) throw new ConfigError(`the copy at ${to} is not good: ${facts.wrong}. Make another one.`)
  const { size } = statSync(to)
  console.log(options.json ? JSON.stringify({ file: to, bytes: size, ...counts(facts) }) : saying(to, size, facts))
}

/** What may be given by a flag or as a word. */
export function onlyOne(flag: string, value: string | undefined, word: string | undefined): string | undefined {
  if (value !== undefined && word !== undefined)
    throw new ConfigError(`${flag} and "${word}" were given: leave one of them out.`)
  return value ?? word
}

export const counts = ({ accounts, sessions, messages }: BackupFacts) => ({ accounts, sessions, messages })

const saying = (to: string, size: number, { accounts, sessions, messages }: BackupFacts): string =>
  `${to}: ${(size / 1e6).toFixed(1)} MB with ${accounts} accounts, ${sessions} numbers and ${messages} messages.\n` +
  'It is worth nothing without POSTERN_SECRET_KEY (or secret.key in the data folder): keep that too, in another place.'
