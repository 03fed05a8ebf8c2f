import { changeAccount, newLogin } from '../../actions/change-account.ts'
import { createAccount as create } from '../../actions/create-account.ts'
import { type Account, type Limits, limitsOf, PLANS } from '../../domain/account.ts'
import { OPERATOR, pagesOf } from '../page.ts'
import { Email, iso, listOf, NewPassword, Nullable, OneOf, pageQuery, Strict, Time } from '../schemas.ts'
import { Limits as LimitsSchema } from '../v1/me.ts'
import { mintKey, SCOPES } from '../../domain/api-key.ts'
import { Type } from '../type.ts'
import { makeSignInLink } from '../../actions/first-start.ts'
import { notFound } from '../../domain/errors.ts'
import { operatorRoute } from '../route.ts'

const limit = (minimum: number) => Type.Optional(Nullable(Type.Number({ minimum, maximum: 1e9 })))
/** Rates above zero and bursts of at least one: a client can wait out every 429. */
const LimitsBody = Strict({
  messages_per_second: limit(0.001),
  messages_burst: limit(1),
  messages_per_month: limit(0),
  sessions: limit(0),
  requests_per_second: limit(0.001),
  requests_burst: limit(1),
  account_requests_per_second: limit(0.001),
  account_requests_burst: limit(1),
  keys: limit(1),
  sandbox_sessions: limit(0),
  waiting_messages: limit(1),
})

const AccountSchema = Strict({
  id: Type.String(),
  name: Type.String(),
  plan: OneOf(PLANS),
  tos_accepted: Type.Boolean(),
  tos_version: Nullable(Type.String()),
  limits: LimitsSchema,
  created_at: Time,
})

const show = (account: Account) => ({
  id: account.id,
  name: account.name,
  plan: account.plan,
  tos_accepted: account.tosAcceptedAt !== null,
  tos_version: account.tosVersion,
  limits: limitsOf(account),
  created_at: iso(account.createdAt),
})

const Name = Type.String({ minLength: 1, maxLength: 200 })

export const createAccount = operatorRoute({
  method: 'POST',
  path: '/operator/accounts',
  tag: 'Operator',
  summary: 'Create an account with its first API key',
  description:
    'Only this response has the key. Most routes respond with 403 until the account has accepted the Terms: set `accept_tos`, or let the account accept them later.',
  body: Strict({
    name: Name,
    plan: Type.Optional(OneOf(PLANS, { default: 'free' })),
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
    limits: Type.Optional(LimitsBody),
    accept_tos: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the account accepts the current Terms now.' }),
    ),
  }),
  status: 201,
  response: Strict({
    account: AccountSchema,
    api_key: Strict({ id: Type.String(), key: Type.String(), label: Type.String() }),
  }),
  example: { body: { name: 'Acme', plan: 'pro', accept_tos: true } },
  async handler({ body }, deps) {
    const { account, apiKey } = await create(deps, {
      name: body.name,
      plan: body.plan ?? 'free',
      ...(body.limits === undefined ? {} : { limits: body.limits as Partial<Limits> }),
      ...(body.email === undefined ? {} : { email: body.email }),
      ...(body.password === undefined ? {} : { password: body.password }),
      acceptTos: body.accept_tos ?? false,
      keyLabel: 'first key',
    })
    return { account: show(account), api_key: apiKey }
  },
})

export const listAccounts = operatorRoute({
  method: 'GET',
  path: '/operator/accounts',
  tag: 'Operator',
  summary: 'List the accounts',
  description: 'The oldest accounts come first.',
  query: Strict(pageQuery),
  status: 200,
  response: listOf(AccountSchema),
  async handler({ query }, deps) {
    const pages = pagesOf(deps, OPERATOR, 'accounts', query)
    return pages.answer(await deps.store.accounts.listAccounts(pages.request), show)
  },
})

export const patchAccount = operatorRoute({
  method: 'PATCH',
  path: '/operator/accounts/:id',
  tag: 'Operator',
  summary: 'Change the name, the plan, limits or the sign-in of an account',
  description:
    'A new password ends every portal session that began with the old one. ' +
    'If the account has no user, an email creates one.',
  params: Strict({ id: Type.String() }),
  body: Strict({
    name: Type.Optional(Name),
    plan: Type.Optional(OneOf(PLANS)),
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
    limits: Type.Optional(LimitsBody),
    accept_tos: Type.Optional(
      Type.Boolean({ description: 'Whether to accept the current Terms for the account. false changes nothing.' }),
    ),
  }),
  status: 200,
  response: AccountSchema,
  errors: [404],
  example: { body: { plan: 'max' } },
  async handler({ params, body }, { store, config }) {
    if ((await store.accounts.getAccount(params.id)) === undefined) throw notFound('account')
    const account = await changeAccount(
      { store },
      {
        id: params.id,
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.plan === undefined ? {} : { plan: body.plan }),
        ...(body.limits === undefined ? {} : { limitOverrides: body.limits as Partial<Limits> }),
        ...(body.accept_tos === true ? { acceptTosVersion: config.tosVersion } : {}),
        ...(body.email === undefined && body.password === undefined ? {} : { login: await newLogin(body) }),
      },
    )
    return show(account)
  },
})

export const createAccountKey = operatorRoute({
  method: 'POST',
  path: '/operator/accounts/:id/keys',
  tag: 'Operator',
  summary: 'Create an API key for an account, for example if it has lost its key',
  description: 'Only this response has the key.',
  params: Strict({ id: Type.String() }),
  body: Strict({
    label: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: 3 })),
  }),
  status: 201,
  response: Strict({ id: Type.String(), key: Type.String(), label: Type.String() }),
  errors: [404],
  example: { body: { label: 'recovery' } },
  async handler({ params, body }, { store }) {
    if ((await store.accounts.getAccount(params.id)) === undefined) throw notFound('account')
    const scopes = [...new Set(body.scopes ?? SCOPES)]
    const { key, stored } = mintKey({ label: body.label, scopes, sessionIds: null })
    await store.keys.createKey({ accountId: params.id, key: stored, maxKeys: null })
    return { id: stored.id, key, label: stored.label }
  },
})

export const createSignInLink = operatorRoute({
  method: 'POST',
  path: '/operator/sign-in-links',
  tag: 'Operator',
  summary: 'Create a sign-in link for the portal, valid once, for one hour',
  description:
    'The link signs in the user of the account. If you name no account, it signs in the operator of the first start. It invalidates the previous link.',
  body: Strict({ account_id: Type.Optional(Type.String({ maxLength: 100 })) }),
  status: 201,
  response: Strict({ url: Type.String(), email: Type.String() }),
  errors: [404],
  example: { body: {} },
  async handler({ body }, { store, publicUrl }) {
    const made = await makeSignInLink({ store }, body.account_id)
    if (made === null) throw notFound('user')
    return { url: `${publicUrl()}/sign-in#${made.token}`, email: made.email }
  },
})
