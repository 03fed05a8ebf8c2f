import { Type } from '../type.ts'
import { checkedUrls, NO_URLS, requireSome } from '../../actions/edit-webhooks.ts'
import { testWebhook, tryUrls as tryNew } from '../../actions/test-webhook.ts'
import { route } from '../route.ts'
import { Strict } from '../schemas.ts'
import { showTestResult, TestResults } from '../v1/webhook-tools.ts'
import { optionalUrls, ownWebhook } from '../v1/webhooks.ts'

/** Only for the portal: tests a form before it is saved. */
export const tryUrls = route({
  method: 'POST',
  path: '/v1/webhooks/try',
  tag: 'Account',
  summary: 'Send a sample to URLs before you save them, and return their responses',
  description:
    'The gateway signs the sample with the secret of `webhook_id`, or with a random secret if there is no webhook yet.',
  scope: 'manage',
  body: Strict({
    session_id: Type.String({ minLength: 1, maxLength: 100 }),
    webhook_id: Type.Optional(Type.String({ maxLength: 100 })),
    sign: Type.Optional(Type.Boolean({ description: 'Whether the gateway signs the sample. The default is true.' })),
    ...optionalUrls,
  }),
  status: 200,
  response: TestResults,
  errors: [404],
  async handler({ identity, body }, deps) {
    const { session_id, webhook_id, sign = true, ...given } = body
    const urls = { ...NO_URLS, ...checkedUrls(deps, given) }
    requireSome(given)
    const session = await deps.sessions.own(identity, 'session_id', session_id)
    const webhook = webhook_id === undefined ? undefined : await ownWebhook(deps, identity, webhook_id)
    deps.toolLimit.count(identity.account.id)
    const tested = { sessionId: session.id, urls }
    const results = webhook
      ? await testWebhook(deps, { ...tested, id: webhook.id }, { sign })
      : await tryNew(deps, tested)
    return { data: results.map(showTestResult) }
  },
})
