import type { Context } from '../context.ts'
import { alreadyExists, missing, notFound, tooManyInactiveWebhooks } from '../domain/errors.ts'
import { CATEGORIES, type Category } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { aboutWebhook } from '../domain/sealed.ts'
import { fieldOf, makeWebhookSecret, type UrlField, type Webhook } from '../domain/webhook.ts'
import { checkUrl, urlError } from '../net/target-url.ts'
import type { Store } from '../store/store.ts'
import type { StoredSession } from '../store/sessions/sessions.ts'

type Deps = Pick<Context, 'seal' | 'targets'> & { store: Pick<Store, 'webhooks'> }
export type GivenUrls = Partial<Record<UrlField, string>>

/** Creates a config with its secret, which no later call shows. */
export async function createWebhook(
  { store, seal, targets }: Deps,
  session: StoredSession,
  given: GivenUrls,
): Promise<{ webhook: Webhook; secret: string }> {
  const urls = { ...NO_URLS, ...checkedUrls({ targets }, given) }
  const id = makeId('wh')
  const secret = makeWebhookSecret()
  const created = await store.webhooks.createWebhook({
    id,
    accountId: session.accountId,
    sessionId: session.id,
    phone: session.phone,
    urls,
    sealedSecret: seal.seal(secret, aboutWebhook(id)),
  })
  switch (created.kind) {
    case 'created':
      return { webhook: created.webhook, secret }
    case 'exists':
      throw alreadyExists('session_id already has a webhook config; change it with PUT /v1/webhooks/{id}', 'session_id')
    case 'too_many_inactive':
      throw tooManyInactiveWebhooks()
    default: {
      const never: never = created
      return never
    }
  }
}

export const NO_URLS: Record<Category, string> = { messages: '', status: '', connection: '', events: '' }

/** A config may get its URLs later, but a request in which every URL is empty comes from a form that lost its values. */
export function requireSome(given: GivenUrls): void {
  const urls = CATEGORIES.flatMap(category => given[fieldOf(category)] ?? [])
  if (urls.length > 0 && urls.every(url => url === ''))
    throw missing(
      `give at least one of ${CATEGORIES.map(fieldOf).join(', ')}: with every URL empty nothing would be sent`,
      fieldOf(CATEGORIES[0]),
    )
}

/** Changes only the URLs that are given, and keeps the secret. */
export async function updateWebhook(
  { store, targets }: Pick<Deps, 'store' | 'targets'>,
  id: string,
  given: GivenUrls,
): Promise<Webhook> {
  const webhook = await store.webhooks.updateWebhook({ id, urls: checkedUrls({ targets }, given) })
  if (webhook === undefined) throw notFound('webhook')
  return webhook
}

export async function rotateSecret(
  { store, seal }: Pick<Deps, 'store' | 'seal'>,
  id: string,
  overlapSeconds: number,
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = makeWebhookSecret()
  const sealedSecret = seal.seal(secret, aboutWebhook(id))
  const webhook = await store.webhooks.rotateWebhookSecret({ id, sealedSecret, overlapMs: overlapSeconds * 1000 })
  if (webhook === undefined) throw notFound('webhook')
  return { webhook, secret }
}

/** Rejects URLs that a delivery could not use, so that a mistake shows where it is made. */
export function checkedUrls({ targets }: Pick<Deps, 'targets'>, given: GivenUrls): Partial<Record<Category, string>> {
  const urls: Partial<Record<Category, string>> = {}
  for (const category of CATEGORIES) {
    const field = fieldOf(category)
    const url = given[field]
    if (url === undefined) continue
    if (url !== '') {
      const verdict = checkUrl(url, targets)
      if (!verdict.ok) throw urlError(field, verdict.reason)
    }
    urls[category] = url
  }
  return urls
}
