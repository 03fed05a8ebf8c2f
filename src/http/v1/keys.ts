import { Type } from '../type.ts'
import { limitsOf } from '../../domain/account.ts'
import { type ApiKey, mintKey, SCOPES, type Scope } from '../../domain/api-key.ts'
import { GatewayError, notFound, tooManyKeys } from '../../domain/errors.ts'
import type { Store } from '../../store/store.ts'
import { type Page, type PageRequest, toPage } from '../../store/page.ts'
import type { Identity } from '../identity.ts'
import { pagesOf } from '../page.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { iso, isoOrNull, listOf, Nullable, OneOf, pageQuery, Strict, Time, upTo } from '../schemas.ts'

const KEYS_PER_READ = 200

const keyFields = {
  id: Type.String(),
  label: Type.String(),
  prefix: Type.String({ description: 'The first 12 characters. The gateway shows the whole key only at creation.' }),
  scopes: upTo(SCOPES.length, OneOf(SCOPES)),
  session_ids: Nullable(upTo(100, Type.String())),
  created_at: Time,
  last_used_at: Nullable(Time),
}

const show = (key: ApiKey) => ({
  id: key.id,
  label: key.label,
  prefix: key.prefix,
  scopes: key.scopes,
  session_ids: key.sessionIds,
  created_at: iso(key.createdAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

export const listKeys = route({
  method: 'GET',
  path: '/v1/keys',
  tag: 'API keys',
  summary: 'List the active API keys',
  description: 'The response has the prefix and the label of each key, never the key.',
  scope: 'manage',
  query: Strict(pageQuery),
  status: 200,
  work: 'heavy',
  response: listOf(Strict(keyFields)),
  async handler({ identity, query }, deps) {
    const pages = pagesOf(deps, identity, 'keys', query)
    return pages.answer(await visibleKeys(deps, identity, pages.request), show)
  },
})

export const createKey = route({
  method: 'POST',
  path: '/v1/keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    'Only this response has the full key. The new key has at most the scopes and the numbers of the key that creates it.',
  scope: 'manage',
  body: Strict({
    label: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: 3 })),
    session_ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100 })),
  }),
  status: 201,
  response: Strict({ ...keyFields, key: Type.String() }),
  example: { body: { label: 'staging', scopes: ['send', 'read'] } },
  async handler({ identity, body }, deps) {
    const scopes = grantedScopes(identity, body.scopes)
    const sessionIds = await grantedSessions(identity, body.session_ids, deps)
    const { key, stored } = mintKey({ label: body.label, scopes, sessionIds })
    const maxKeys = limitsOf(identity.account).keys
    const created = await deps.store.keys.createKey({ accountId: identity.account.id, key: stored, maxKeys })
    if (created.kind === 'full') throw tooManyKeys(maxKeys!)
    deps.authThrottle.trust(`key ${Buffer.from(stored.hash).toString('hex')}`)
    return { ...show(created.key), key }
  },
})

export const revokeKey = route({
  method: 'DELETE',
  path: '/v1/keys/:id',
  tag: 'API keys',
  summary: 'Revoke an API key permanently',
  description: 'Within a second, every node rejects requests with this key with 401. A key can revoke itself.',
  scope: 'manage',
  params: Strict({ id: Type.String() }),
  status: 200,
  response: Strict({ id: Type.String(), revoked: Type.Boolean() }),
  errors: [404],
  async handler({ identity, params }, { store }) {
    const key = await store.keys.getKey(params.id)
    if (key === undefined || key.accountId !== identity.account.id || !covers(identity, key)) throw notFound('key')
    if (!(await store.keys.revokeKey({ accountId: identity.account.id, keyId: params.id }))) throw notFound('key')
    return { id: params.id, revoked: true }
  },
})

/** As many keys as requested, if there are that many: hidden keys leave no gaps. */
async function visibleKeys(
  { store }: { store: Pick<Store, 'keys'> },
  identity: Identity,
  { limit, cursor }: PageRequest,
): Promise<Page<ApiKey>> {
  const visible: ApiKey[] = []
  for (let from = cursor; ; ) {
    const page = await store.keys.listKeys({ accountId: identity.account.id, limit: KEYS_PER_READ, cursor: from })
    visible.push(...page.data.filter(key => covers(identity, key)))
    if (page.nextCursor === null || visible.length > limit) return toPage(visible, limit, key => key.id, identical)
    from = page.nextCursor
  }
}

const identical = <T>(value: T): T => value

/** A key sees and revokes only keys that can do no more than itself. */
function covers(identity: Identity, key: ApiKey): boolean {
  const scopes = key.scopes.every(scope => identity.scopes.includes(scope))
  const own = identity.sessionIds
  return scopes && (own === null || (key.sessionIds?.every(id => own.includes(id)) ?? false))
}

function grantedScopes(identity: Identity, requested: Scope[] | undefined): Scope[] {
  if (requested === undefined) return [...identity.scopes]
  const beyond = requested.find(scope => !identity.scopes.includes(scope))
  if (beyond !== undefined)
    throw new GatewayError('scope_missing', `scopes: this key lacks "${beyond}" and cannot grant it`, {
      param: 'scopes',
    })
  return [...new Set(requested)]
}

async function grantedSessions(
  identity: Identity,
  requested: string[] | undefined,
  deps: Deps,
): Promise<string[] | null> {
  if (requested === undefined) return identity.sessionIds === null ? null : [...identity.sessionIds]
  const sessions = await Promise.all(requested.map(id => deps.sessions.own(identity, 'session_ids', id)))
  return [...new Set(sessions.map(session => session.id))]
}
