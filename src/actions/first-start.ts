import type { Context } from '../context.ts'
import { makeId } from '../domain/ids.ts'
import { hashToken, makeToken } from '../domain/token.ts'

const OWNER_EMAIL = 'owner@postern.local'
const LINK_LIFETIME_MS = 3_600_000

/**
 * Makes the first account, of plan Max, with an operator who has no password yet. Until one is set, every start gives
 * a fresh one-time link to sign in with.
 */
export async function ensureFirstAccount({ store }: Pick<Context, 'store'>): Promise<{ token: string } | null> {
  if ((await store.findOperator(null)) === undefined) await createFirstAccount({ store })
  const owner = await store.findOperator(null)
  if (owner === undefined || owner.passwordHash !== null) return null
  return { token: await createSignInLink({ store }, owner.id) }
}

async function createFirstAccount({ store }: Pick<Context, 'store'>): Promise<void> {
  const user = { id: makeId('usr'), email: OWNER_EMAIL, passwordHash: null, isOperator: true }
  await store
    .createAccount({
      id: makeId('acc'),
      name: 'My account',
      plan: 'max',
      limitOverrides: {},
      acceptTosVersion: null,
      user,
      key: null,
    })
    .catch((error: unknown) => {
      if (!isTaken(error)) throw error
    })
}

/** Two nodes may start at once: the second finds the email taken. */
const isTaken = (error: unknown): boolean => (error as Error).message.includes('already in use')

export async function createSignInLink({ store }: Pick<Context, 'store'>, userId: string): Promise<string> {
  const token = makeToken()
  await store.createSignInLink({ tokenHash: hashToken(token), userId, lifetimeMs: LINK_LIFETIME_MS })
  return token
}
