import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config.ts'
import { type Database, openDatabase } from './driver.ts'

export const databasePath = (dataDir: string): string => join(dataDir, 'postern.db')

/**
 * Locks the data folder for this process. The operating system holds the lock, so a killed process leaves none behind.
 */
export function lockDataFolder(dataDir: string): { release(): void } {
  makeWritable(dataDir)
  closeToOthers(dataDir)
  let lock: Database | undefined
  try {
    lock = openDatabase(join(dataDir, 'postern.lock'), { readOnly: false, timeoutMs: 0 })
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock?.close()
    const { message } = error as Error
    throw new ConfigError(
      /locked|busy/i.test(message)
        ? `POSTERN_DATA_DIR: ${dataDir} is in use by another Postern. Stop that one, or give this one a folder of its own.`
        : `POSTERN_DATA_DIR: ${dataDir} cannot be used (${message}). Choose another folder, or mend this one.`,
    )
  }
  const held = lock
  return { release: () => held.close() }
}

function makeWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.R_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(
      `POSTERN_DATA_DIR: ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). Choose another folder or change its owner.`,
    )
  }
}

/** Files of an earlier version, or of a copy, may be readable by other users. SQLite gives further files the same mode. */
function closeToOthers(dataDir: string): void {
  const database = databasePath(dataDir)
  for (const path of [database, `${database}-wal`, `${database}-shm`, join(dataDir, 'postern.lock')]) {
    try {
      chmodSync(path, 0o600)
    } catch {
      // There is none yet, or it belongs to another user, who decides.
    }
  }
}
