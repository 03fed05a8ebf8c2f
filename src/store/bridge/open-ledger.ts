import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { ConfigError } from '../../config-error.ts'
import type { Seal } from '../seal.ts'
import { BridgeLedger } from './bridge-ledger.ts'

export function makeBridgeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`--data: ${folder} cannot be made (${code}). Choose another folder, or change its owner.`)
  }
}

/** For this process alone: the lock is the operating system's, and a killed process leaves none. */
export function openLedger(folder: string, parts: { seal: Seal; clock: Pick<Clock, 'now'> }): BridgeLedger {
  try {
    return new BridgeLedger(join(folder, 'bridge.db'), parts)
  } catch (error) {
    const { message } = error as Error
    throw new ConfigError(
      /locked|busy/i.test(message)
        ? `--data: ${folder} is in use by another bridge. Stop that one, or give this one a folder of its own.`
        : `--data: ${folder} cannot be used (${message}). Choose another folder, or mend this one.`,
    )
  }
}
