import { existsSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError, readConfig } from '../config.ts'
import { type BackupFacts, examineBackup, writeBackup } from '../store/sqlite/backup.ts'
import { databasePath } from '../store/sqlite/data-folder.ts'
import { toJson } from './terminal.ts'

export const backupHelp = `postern backup <file> [--json]

Writes a consistent copy of the embedded database. The gateway may run
meanwhile. The command verifies the copy before it reports success. Back up
PostgreSQL with its own tools (pg_dump, pg_basebackup).

Uploaded and received files are in the folder media of the data folder
(POSTERN_MEDIA_DIR), and not in the copy: copy that folder afterwards.

The copy's secrets are encrypted with POSTERN_SECRET_KEY. Keep that key, but not
in the same place as the copy.

<file> must not exist.

  --to     the same as <file>
  --json   print a summary of the copy as JSON, for scripts`

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
  if (existsSync(to)) throw new ConfigError(`${to} exists already. Name another file.`)
  try {
    writeBackup(from, to)
  } catch (error) {
    throw new ConfigError(`${to} cannot be written (${(error as Error).message}).`)
  }
  const facts = examineBackup(to)
  if ('wrong' in facts) throw new ConfigError(`the copy at ${to} is damaged: ${facts.wrong}. Make another copy.`)
  const { size } = statSync(to)
  const summary = [summaryOf(to, size, facts), ...(hasFiles(config.mediaDir) ? [filesHint(config.mediaDir)] : [])]
  console.log(options.json ? toJson({ file: to, bytes: size, ...counts(facts) }) : summary.join('\n'))
}

const hasFiles = (folder: string | null): folder is string =>
  folder !== null && existsSync(folder) && readdirSync(folder).length > 0

const filesHint = (folder: string): string =>
  `Files that customers have uploaded or received are not in it: copy the folder ${folder} too.`

/** A value that the user can give as an option or as an argument. */
export function onlyOne(flag: string, value: string | undefined, word: string | undefined): string | undefined {
  if (value !== undefined && word !== undefined)
    throw new ConfigError(`${flag} and "${word}" were given: leave one of them out.`)
  return value ?? word
}

export const counts = ({ accounts, sessions, messages }: BackupFacts) => ({ accounts, sessions, messages })

const summaryOf = (to: string, size: number, { accounts, sessions, messages }: BackupFacts): string =>
  `${to}: ${(size / 1e6).toFixed(1)} MB with ${accounts} accounts, ${sessions} numbers and ${messages} messages.\n` +
  'You cannot restore it without POSTERN_SECRET_KEY (or secret.key in the data folder): keep that too, in another place.'
