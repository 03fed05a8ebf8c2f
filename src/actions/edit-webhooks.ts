import type { Context } from '../context.ts'
import { invalid } from '../domain/errors.ts'
import { CATEGORIES, type Category } from '../domain/event.ts'
import { makeId } from '../domain/ids.ts'
import { aboutWebhook } from '../domain/sealed.ts'
import { fieldOf, makeWebhookSecret, type UrlField, type Webhook } from '../domain/webhook.ts'
import { checkUrl, urlRefusalText } from '../net/target-url.ts'
import type { StoredSession } from '../store/units/sessions/sessions.ts'

type Parts = Pick<Context, 'store' | 'seal' | 'targets'>
export type GivenUrls = Partial<Record<UrlField, string>>

/** A new config with its secret, which is readable here and nowhere later. */
export async function createWebhook(
  { store, seal, targets }: Parts,
  session: StoredSession,
  given: GivenUrls,
): Promise<{ webhook: Webhook; secret: string }> {
  const urls = { messages: '', status: '', connection: '', events: '', ...checkedUrls({ targets }, given) }
  const id = makeId('wh')
  const secret = makeWebhookSecret()
  const webhook = await store.webhooks.createWebhook({
    id,
    accountId: session.accountId,
    sessionId: session.id,
    phone: session.phone,
    urls,
    sealedSecret: seal.seal(secret, aboutWebhook(id)),
  })
  return { webhook, secret }
}

/** Changes only the URLs that are given; the secret stays. */
export async function updateWebhook(
  { store, targets }: Pick<Parts, 'store' | 'targets'>,
  id: string,
  given: GivenUrls,
): Promise<Webhook> {
  return await store.webhooks.updateWebhook({ id, urls: checkedUrls({ targets }, given) })
}

export async function rotateSecret(
  { store, seal }: Pick<Parts, 'store' | 'seal'>,
  id: string,
  overlapSeconds: number,
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = makeWebhookSecret()
  const sealedSecret = seal.seal(secret, aboutWebhook(id))
  const webhook = await store.webhooks.rotateWebhookSecret({ id, sealedSecret, overlapMs: overlapSeconds * 1000 })
  return { webhook, secret }
}

/** Refuses what can be known to be refused at dialling, so that a mistake shows where it is made. */
export function checkedUrls({ targets }: Pick<Parts, 'targets'>, given: GivenUrls): Partial<Record<Category, string>> {
  const urls: Partial<Record<Category, string>> = {}
  for (const category of CATEGORIES) {
    const field = fieldOf(category)
    const url = given[field]
    if (url === undefined) continue
    if (url !== '') {
      const verdict = checkUrl(url, targets)
      if (!verdict.ok) throw invalid(urlRefusalText(field, verdict.reason))
    }
    urls[category] = url
  }
  return urls
}
