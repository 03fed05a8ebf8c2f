import type { Context } from '../context.ts'
import { tooManyListeners } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import { aboutListening } from '../domain/sealed.ts'
import { makeWebhookSecret } from '../domain/webhook.ts'
import type { Store } from '../store/store.ts'

export interface Listener {
  id: string
  cursor: number
  /** Signs forwarded events; the same for all listeners of the account. */
  secret: string
  expiresAt: number
}

/** Begins to store the account's events for a program that reads them by cursor. */
export async function openListener(
  { store, seal }: Pick<Context, 'seal'> & { store: Pick<Store, 'listeners'> },
  accountId: string,
  keptMs: number,
): Promise<Listener> {
  const about = aboutListening(accountId)
  const id = makeId('lsn')
  const sealedSecret = seal.seal(makeWebhookSecret(), about)
  const opened = await store.listeners.openListener({ id, accountId, sealedSecret, keptMs })
  if (opened.kind === 'full') throw tooManyListeners()
  const { cursor, expiresAt } = opened
  return { id, cursor, expiresAt, secret: seal.open(opened.sealedSecret, about).toString('utf8') }
}
