import { makeId } from '../../dist/domain/ids.js'
import { makeEndpointSecret } from '../../dist/domain/endpoint.js'
import { aboutEndpoint, aboutWebhook } from '../../dist/domain/sealed.js'

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

const ENDPOINT = {
  keepHours: null,
  description: '',
  kinds: null,
  sessionIds: null,
  direction: null,
  include: [],
  headers: { names: [], sealed: null },
  signature: 'postern',
  retry: 'eager',
  reply: false,
  active: true,
}

/** Creates an endpoint of the account; returns its id and its secret. */
export async function addEndpoint({ store, seal }, accountId, url, settings = {}) {
  const id = makeId('ep')
  const secret = makeEndpointSecret()
  const sealedSecret = seal.seal(secret, aboutEndpoint(id))
  await store.endpoints.createEndpoint({ ...ENDPOINT, ...settings, id, accountId, url, sealedSecret })
  return { id, secret }
}
