import { Type } from '../type.ts'
import { changeAccount } from '../../actions/change-account.ts'
import { limitsOf, PLANS } from '../../domain/account.ts'
import { SCOPES } from '../../domain/api-key.ts'
import { invalid } from '../../domain/errors.ts'
import { monthOf } from '../../runtime/token-bucket.ts'
import type { Deps } from '../deps.ts'
import { route } from '../route.ts'
import { iso, Nullable, OneOf, Strict, Time, upTo } from '../schemas.ts'

export const Limits = Strict({
  messages_per_second: Nullable(Type.Number()),
  messages_burst: Nullable(Type.Number()),
  messages_per_month: Nullable(Type.Number()),
  sessions: Nullable(Type.Number()),
  requests_per_second: Nullable(Type.Number({ description: 'The limit of each key.' })),
  requests_burst: Nullable(Type.Number()),
  account_requests_per_second: Nullable(Type.Number({ description: 'The limit of all keys and users together.' })),
  account_requests_burst: Nullable(Type.Number()),
  keys: Nullable(Type.Number({ description: 'The maximum number of active API keys.' })),
  sandbox_sessions: Nullable(Type.Number()),
  waiting_messages: Nullable(
    Type.Number({ description: 'The maximum number of messages, edits and revokes that wait to be sent.' }),
  ),
})

const Me = Strict({
  account: Strict({
    id: Type.String(),
    name: Type.String(),
    plan: OneOf(PLANS),
    tos_accepted: Type.Boolean(),
    tos_version: Nullable(Type.String({ description: 'The label of the Terms that the account accepted.' })),
    current_tos_version: Type.String(),
  }),
  key: Nullable(
    Strict({
      id: Type.String(),
      label: Type.String(),
      prefix: Type.String(),
      created_at: Time,
      scopes: upTo(SCOPES.length, OneOf(SCOPES), 'The permissions of the key.'),
    }),
  ),
  limits: Limits,
  usage: Strict({ period: Type.String(), messages: Type.Integer(), quota: Nullable(Type.Integer()) }),
  dead_letters: Type.Integer({
    description: 'How many dead letters the account has, without those whose events were delivered later.',
  }),
})

export const getMe = route({
  method: 'GET',
  path: '/v1/me',
  tag: 'Account',
  summary: 'Get the account, your API key, the limits and the usage',
  description:
    'The response shows what your key may do and how much of the monthly quota the account has used. It is a good first call to test a key.',
  scope: null,
  beforeTerms: true,
  status: 200,
  response: Me,
  async handler({ identity }, { config, store, clock }) {
    const { account, key } = identity
    const limits = limitsOf(account)
    const period = monthOf(clock.now().getTime())
    const days = await store.usage.readUsage({ accountId: account.id, from: `${period}-01`, to: `${period}-31` })
    return {
      account: {
        id: account.id,
        name: account.name,
        plan: account.plan,
        tos_accepted: account.tosAcceptedAt !== null,
        tos_version: account.tosVersion,
        current_tos_version: config.tosVersion,
      },
      key: key && {
        id: key.id,
        label: key.label,
        prefix: key.prefix,
        created_at: iso(key.createdAt),
        scopes: key.scopes,
      },
      limits,
      usage: { period, messages: days.reduce((sum, day) => sum + day.accepted, 0), quota: limits.messages_per_month },
      dead_letters: await store.deliveries.countDeadLetters({
        accountId: account.id,
        sessionIds: identity.sessionIds,
      }),
    }
  },
})

export const getTos = route({
  method: 'GET',
  path: '/v1/tos',
  tag: 'Account',
  summary: 'Get the current Terms of Service',
  description:
    'The response has their label, their URL and the time when the account accepted them. Until the account has accepted them, most routes respond with 403.',
  scope: null,
  beforeTerms: true,
  status: 200,
  response: Strict({ version: Type.String(), url: Type.String(), accepted_at: Type.Optional(Time) }),
  async handler({ identity }, { config, publicUrl }) {
    const acceptedAt = identity.account.tosAcceptedAt
    return {
      version: config.tosVersion,
      url: `${publicUrl()}/terms`,
      ...(acceptedAt === null ? {} : { accepted_at: iso(acceptedAt) }),
    }
  },
})

export const acceptTos = route({
  method: 'POST',
  path: '/v1/tos/accept',
  tag: 'Account',
  summary: 'Accept the Terms of Service',
  description: 'An account accepts the Terms once. Accepting them again changes nothing.',
  scope: null,
  beforeTerms: true,
  body: Strict({
    version: Type.String({ minLength: 1, maxLength: 100, description: 'The current label. See GET /v1/tos.' }),
  }),
  status: 200,
  response: Strict({ version: Type.String(), accepted_at: Time }),
  example: { body: { version: '2026-01' } },
  async handler({ identity, body }, deps) {
    const { version, acceptedAt } = await accept(deps, identity.account.id, body.version)
    return { version, accepted_at: iso(acceptedAt) }
  },
})

async function accept({ config, store }: Deps, accountId: string, version: string) {
  if (version !== config.tosVersion)
    throw invalid(`version must be the current Terms version, ${config.tosVersion}`, 'version')
  const account = await store.accounts.getAccount(accountId)
  if (account?.tosVersion === version) return { version, acceptedAt: account.tosAcceptedAt! }
  const updated = await changeAccount({ store }, { id: accountId, acceptTosVersion: version })
  return { version, acceptedAt: updated.tosAcceptedAt! }
}
