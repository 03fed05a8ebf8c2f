import { ConfigError } from './config-error.ts'
import type { Store } from '../store/store.ts'

/** Rejects a start with data that was moved elsewhere, or that a move has copied only in part. */
export async function guardMovedData({ moving }: Pick<Store, 'moving'>): Promise<void> {
  const { progress, movedTo } = await moving.readMarks()
  if (movedTo !== undefined)
    throw new ConfigError(
      `this data was moved to ${movedTo}: start the gateway there. If you never started a gateway there, \`postern move --take-back\` lets you start it here again. Two gateways with the same numbers would damage each other's keys.`,
    )
  if (progress !== undefined)
    throw new ConfigError(
      'a move to this database was interrupted. Run `postern move` again; it continues where it stopped.',
    )
}
