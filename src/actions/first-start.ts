import type { Context } from '../context.ts'
import { OWNER_EMAIL } from '../domain/account.ts'
import { mintKey, type NewKey, SCOPES } from '../domain/api-key.ts'
import { makeId } from '../domain/ids.ts'
import { aboutSignInLink } from '../domain/sealed.ts'
import { hashToken, makeToken } from '../domain/token.ts'
import type { Store } from '../store/store.ts'

type Deps = Pick<Context, 'seal'> & { store: Pick<Store, 'accounts' | 'users'> }

const LINK_LIFETIME_MS = 3_600_000
const START_TOGETHER_MS = 60_000

/**
 * Creates the first account, with plan Max and an operator without a password. Until a password is set, every start
 * returns a new one-time sign-in link.
 */
export async function ensureFirstAccount(deps: Deps): Promise<{ token: string } | null> {
  const { store } = deps
  if ((await store.users.findOperator()) === undefined) await createFirstAccount({ store }, null)
  const owner = await store.users.findOperator()
  if (owner === undefined || owner.passwordHash !== null) return null
  return { token: await shareSignInLink(deps, owner.id) }
}

/** The account and the key of a developer who tries the gateway. */
export interface DeveloperAccount {
  accountId: string
  key: string
}

/**
 * Creates the first account with a key and with the Terms accepted, so that a developer can begin at once. `null` if
 * the account exists: the key is made once.
 */
export async function makeDeveloperAccount({
  store,
  config,
}: Pick<Deps, 'store'> & Pick<Context, 'config'>): Promise<DeveloperAccount | null> {
  if ((await store.users.findOperator()) !== undefined) return null
  const { key, stored } = mintKey({ label: 'first key', scopes: [...SCOPES], sessionIds: null })
  const accountId = await createFirstAccount({ store }, { key: stored, acceptTosVersion: config.tosVersion })
  return accountId === null ? null : { accountId, key }
}

/** Two nodes may start at the same time: the second finds the email taken and the account created. */
async function createFirstAccount(
  { store }: Pick<Deps, 'store'>,
  ready: { key: NewKey; acceptTosVersion: string } | null,
): Promise<string | null> {
  const id = makeId('acc')
  const created = await store.accounts.createAccount({
    id,
    name: 'My account',
    plan: 'max',
    limitOverrides: {},
    acceptTosVersion: ready?.acceptTosVersion ?? null,
    user: { id: makeId('usr'), email: OWNER_EMAIL, passwordHash: null, isOperator: true },
    key: ready?.key ?? null,
  })
  return created.kind === 'email_taken' ? null : id
}
/** One link for all processes that start together, so that the link in each of their outputs works. */
async function shareSignInLink({ store, seal }: Deps, userId: string): Promise<string> {
  const token = makeToken()
  const about = aboutSignInLink(userId)
  const shared = { sealed: seal.seal(token, about), withinMs: START_TOGETHER_MS }
  const link = { tokenHash: hashToken(token), userId, lifetimeMs: LINK_LIFETIME_MS, shared }
  const found = await store.users.createSignInLink(link)
  return found === null ? token : seal.open(found, about).toString('utf8')
}

/** Creates a link and invalidates the user's other links. */
export async function createSignInLink({ store }: Pick<Deps, 'store'>, userId: string): Promise<string> {
  const token = makeToken()
  await store.users.createSignInLink({ tokenHash: hashToken(token), userId, lifetimeMs: LINK_LIFETIME_MS })
  return token
}

/** Creates a link for the user of an account, or for the operator of the first start; `null` if there is no user. */
export async function makeSignInLink(
  { store }: Pick<Deps, 'store'>,
  accountId: string | undefined,
): Promise<{ token: string; email: string } | null> {
  const user =
    accountId === undefined ? await store.users.findOperator() : await store.users.findUserOfAccount(accountId)
  if (user === undefined) return null
  return { token: await createSignInLink({ store }, user.id), email: user.email }
}
