import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config.ts'
import { openDatabase } from './driver.ts'

/** Takes the data folder for this process alone. The lock is the operating system's: a killed process leaves none. */
export function lockDataFolder(dataDir: string): { release(): void } {
  makeWritable(dataDir)
  const lock = openDatabase(join(dataDir, 'postern.lock'), { readOnly: false })
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch {
    lock.close()
    throw new ConfigError(
      `POSTERN_DATA_DIR: ${dataDir} is in use by another Postern. Stop that one, or give this one a folder of its own.`,
    )
  }
  return { release: () => lock.close() }
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
