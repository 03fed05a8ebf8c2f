import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../runtime/clock.ts'
import { ConfigError } from '../../boot/config-error.ts'
import type { Seal } from '../seal.ts'
import { BridgeLedger } from './bridge-ledger.ts'

const LEDGER = 'bridge.db'

export function makeBridgeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`--data: ${folder} cannot be made (${code}). Choose another folder, or change its owner.`)
  }
  closeToOthers(folder)
}

/** A folder with other things in it is not ours to close; what a group was given on purpose may stay so. */
function closeToOthers(folder: string): void {
  const isOurs = existsSync(join(folder, LEDGER)) || readdirSync(folder).every(name => name === 'lost+found')
  if (isOpenTo(0o077, folder) && isOurs) {
    try {
      chmodSync(folder, 0o700)
    } catch {
      // It is another user's: whether that will do is seen below.
    }
  }
  if (isOpenTo(0o007, folder))
    throw new ConfigError(`--data: ${folder} is open to others. Close it (chmod 700), or choose a folder of its own.`)
}

const isOpenTo = (whom: number, folder: string): boolean => (statSync(folder).mode & whom) !== 0

/** For this process alone: the lock is the operating system's, and a killed process leaves none. */
export function openLedger(folder: string, parts: { seal: Seal; clock: Pick<Clock, 'now'> }): BridgeLedger {
  try {
    return new BridgeLedger(join(folder, LEDGER), parts)
  } catch (error) {
    const { message } = error as Error
    throw new ConfigError(
      /locked|busy/i.test(message)
        ? `--data: ${folder} is in use by another bridge. Stop that one, or give this one a folder of its own.`
        : `--data: ${folder} cannot be used (${message}). Choose another folder, or mend this one.`,
    )
  }
}
