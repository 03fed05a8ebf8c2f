import { makeId } from '../../dist/domain/ids.js'
import { aboutWebhook } from '../../dist/domain/sealed.js'

export const SECRET = `whsec_${'s'.repeat(43)}`

/** Creates an account without limits; returns its id. */
export async function addAccount({ store }) {
  const id = makeId('acc')
  const account = { id, name: 'bench', plan: 'max', limitOverrides: {}, user: null, key: null }
  await store.accounts.createAccount({ ...account, acceptTosVersion: '2026-01' })
  return id
}

/** Creates a webhook with one URL for everything, for a number that no worker hosts; returns both ids. */
export async function addWebhook({ store, seal }, accountId, phone, url, secret = SECRET) {
  const id = makeId('wh')
  const sessionId = `${phone}@s.whatsapp.net`
  const urls = { messages: url, status: url, connection: url, events: url }
  const sealedSecret = seal.seal(secret, aboutWebhook(id))
  await store.webhooks.createWebhook({ id, accountId, sessionId, phone: String(phone), urls, sealedSecret })
  return { id, sessionId }
}
