import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import { BridgeError } from './bridge-error.ts'
import { BridgeLedger, type Seal } from './ledger.ts'

const LEDGER = 'bridge.db'

export function makeBridgeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BridgeError(`--data: ${folder} cannot be made (${code}). Choose another folder, or change its owner.`)
  }
  closeToOthers(folder)
}

/** The bridge changes the mode only of a folder that it owns. A group may keep its access. */
function closeToOthers(folder: string): void {
  const isOurs = existsSync(join(folder, LEDGER)) || readdirSync(folder).every(name => name === 'lost+found')
  if (isOpenTo(0o077, folder) && isOurs) {
    try {
      chmodSync(folder, 0o700)
    } catch {
      // Another user owns the folder; the check below decides.
    }
  }
  if (isOpenTo(0o007, folder))
    throw new BridgeError(`--data: ${folder} is open to others. Close it (chmod 700), or choose a folder of its own.`)
}

const isOpenTo = (whom: number, folder: string): boolean => (statSync(folder).mode & whom) !== 0

/** Locks the ledger for this process. The operating system releases the lock when the process ends. */
export function openLedger(folder: string, deps: { seal: Seal; clock: Pick<Clock, 'now'> }): BridgeLedger {
  try {
    return new BridgeLedger(join(folder, LEDGER), deps)
  } catch (error) {
    const { message } = error as Error
    throw new BridgeError(
      /locked|busy/i.test(message)
        ? `--data: ${folder} is in use by another bridge. Stop that one, or give this one a folder of its own.`
        : `--data: ${folder} cannot be used (${message}). Choose another folder, or mend this one.`,
    )
  }
}
