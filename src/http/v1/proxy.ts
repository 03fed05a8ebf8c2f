import { sendSessionRequest } from '../../actions/send-request.ts'
import { GatewayError, notFound, notHosted } from '../../domain/errors.ts'
import { PROXY_OUTCOMES } from '../../domain/proxy.ts'
import { aboutProxy } from '../../domain/sealed.ts'
import { parseProxyUrl } from '../../net/proxy-url.ts'
import { route } from '../route.ts'
import { Nullable, OneOf, Strict } from '../schemas.ts'
import { Type } from '../type.ts'
import { ProxySchema, ProxyUrl, showProxy } from './proxy-schema.ts'
import { BySession, changeSession, freshSession } from './sessions.ts'

export const getProxy = route({
  method: 'GET',
  path: '/v1/sessions/:id/proxy',
  tag: 'Numbers',
  summary: 'Get the proxy of a number',
  description: 'Scheme, host and port. The gateway never shows the user name and the password.',
  scope: 'read',
  params: BySession,
  status: 200,
  response: ProxySchema,
  errors: [404],
  async handler({ identity, params }, deps) {
    const shown = showProxy(deps, await freshSession(deps, identity, params.id))
    if (shown === null) throw notFound('proxy')
    return shown
  },
})

export const setProxy = route({
  method: 'PUT',
  path: '/v1/sessions/:id/proxy',
  tag: 'Numbers',
  summary: 'Let a number reach the platform through a proxy',
  description:
    'The gateway reconnects the number. From then on all its connections to the platform go through the proxy: messages, uploads and downloads. While the proxy does not work, the number stays disconnected and `reason` of the number says why; it never connects without the proxy.',
  scope: 'manage',
  params: BySession,
  body: Strict({ url: ProxyUrl }),
  status: 200,
  response: ProxySchema,
  example: { body: { url: 'socks5://user:password@proxy.example.com:1080' } },
  async handler({ identity, params, body }, deps) {
    const { id, accountId } = await deps.sessions.own(identity, 'id', params.id)
    const proxy = parseProxyUrl('url', body.url, deps.targets)
    await changeSession(deps, { id, accountId, proxy: deps.seal.sealJson(proxy, aboutProxy(id)) })
    return { scheme: proxy.scheme, host: proxy.host, port: proxy.port }
  },
})

export const deleteProxy = route({
  method: 'DELETE',
  path: '/v1/sessions/:id/proxy',
  tag: 'Numbers',
  summary: 'Let a number reach the platform without its proxy',
  description: 'The gateway reconnects the number directly. A number without a proxy does not change.',
  scope: 'manage',
  params: BySession,
  status: 200,
  response: Strict({ id: Type.String(), deleted: Type.Boolean() }),
  async handler({ identity, params }, deps) {
    const { id, accountId } = await deps.sessions.own(identity, 'id', params.id)
    await changeSession(deps, { id, accountId, proxy: null })
    return { id, deleted: true }
  },
})

export const testProxy = route({
  method: 'POST',
  path: '/v1/sessions/:id/proxy/test',
  tag: 'Numbers',
  summary: 'Test the proxy of a number',
  description:
    'The worker of the number opens a new connection to the platform through the proxy, whether or not the number is connected. The connection of the number does not change.',
  scope: 'manage',
  params: BySession,
  status: 200,
  work: 'waiting',
  response: Strict({
    outcome: OneOf(PROXY_OUTCOMES, {
      description:
        '`reached`: the platform has answered. `proxy_failed`: the proxy cannot be reached, or rejects the connection. `platform_failed`: the proxy works, and the platform cannot be reached through it.',
    }),
    ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
    error: Nullable(Type.String({ description: 'What failed. For people.' })),
  }),
  errors: [404, 409, 502],
  async handler({ identity, params, gone }, deps) {
    const { id: sessionId, accountId, hosted, state } = await freshSession(deps, identity, params.id)
    deps.toolLimit.count(accountId)
    if (!hosted || state === 'logged_out') throw notHosted(state)
    const result = await sendSessionRequest(deps, { sessionId, accountId }, { kind: 'proxy_test' }, gone())
    if (result.kind !== 'proxy_tested') throw new GatewayError('internal_error', 'internal server error')
    if (result.test === null) throw notFound('proxy')
    return result.test
  },
})
