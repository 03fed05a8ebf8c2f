import { BOUNDS } from '../../domain/bounds.ts'
import type { Reader, Tx } from '../transaction.ts'

export interface NewUser {
  id: string
  email: string
  passwordHash: string | null
  isOperator: boolean
}

export interface User {
  id: string
  accountId: string
  email: string
  passwordHash: string | null
  isOperator: boolean
}

interface UserRow {
  id: string
  account_id: string
  email: string
  password_hash: string | null
  is_operator: number
}

const COLUMNS = 'u.id, u.account_id, u.email, u.password_hash, u.is_operator'

/** `email_taken`: another user has this email, and nothing has changed. */
export type EmailSet = 'done' | 'email_taken'

export async function insertUser(tx: Tx, accountId: string, user: NewUser): Promise<EmailSet> {
  const row = {
    id: user.id,
    account_id: accountId,
    email: user.email,
    password_hash: user.passwordHash,
    is_operator: user.isOperator ? 1 : 0,
    created_at: tx.nowMs,
  }
  const inserted = await tx.insert('users', [row], 'on conflict (email) do nothing returning id')
  return inserted.length === 0 ? 'email_taken' : 'done'
}

export async function findUserByEmail(reader: Reader, email: string): Promise<User | undefined> {
  const row = await reader.get<UserRow>(`select ${COLUMNS} from users u where u.email = ?`, email)
  return row && toUser(row)
}

export async function findUserOfAccount(reader: Reader, accountId: string): Promise<User | undefined> {
  const row = await reader.get<UserRow>(`select ${COLUMNS} from users u where u.account_id = ?`, accountId)
  return row && toUser(row)
}

/** The first user of this gateway; `undefined` before its first start. */
export async function findOperator(reader: Reader): Promise<User | undefined> {
  const row = await reader.get<UserRow>(
    `select ${COLUMNS} from users u where u.is_operator = 1 order by u.created_at, u.id limit 1`,
  )
  return row && toUser(row)
}

/** Sets a new password and ends all sign-in links and portal sessions, except the current session. */
export async function changePassword(
  tx: Tx,
  input: { userId: string; passwordHash: string; keepTokenHash: Uint8Array | null },
): Promise<void> {
  await tx.run('update users set password_hash = ? where id = ?', input.passwordHash, input.userId)
  await endPortalSessions(tx, { userId: input.userId, keepTokenHash: input.keepTokenHash })
  await endSignInLinks(tx, input.userId)
}

export interface Login {
  email?: string
  passwordHash?: string
  /** For an account without a user. */
  newUserId: string
}

/** `email_needed`: the account has no user yet, and no email is given for one. */
export type LoginSet = EmailSet | 'email_needed'

/** Sets the email or password of an account's user; a new password ends the sessions of the old one. */
export async function setLogin(
  tx: Tx,
  accountId: string,
  { email, passwordHash, newUserId }: Login,
): Promise<LoginSet> {
  const user = await tx.get<{ id: string }>(
    'select id from users where account_id = ? order by created_at, id limit 1',
    accountId,
  )
  if (user === undefined) {
    if (email === undefined) return 'email_needed'
    const first = { id: newUserId, email, passwordHash: passwordHash ?? null, isOperator: false }
    return await insertUser(tx, accountId, first)
  }
  const set = email === undefined ? 'done' : await changeEmail(tx, { userId: user.id, email })
  if (set === 'done' && passwordHash !== undefined)
    await changePassword(tx, { userId: user.id, passwordHash, keepTokenHash: null })
  return set
}

/** The email to sign in with. */
export async function changeEmail(tx: Tx, input: { userId: string; email: string }): Promise<EmailSet> {
  const other = await tx.get('select id from users where email = ? and id <> ?', input.email, input.userId)
  if (other !== undefined) return 'email_taken'
  await tx.run('update users set email = ? where id = ?', input.email, input.userId)
  return 'done'
}

export interface NewPortalSession {
  tokenHash: Uint8Array
  userId: string
  lifetimeMs: number
  /** The hash of the password that was checked, if one was: if it has changed meanwhile, no session is created. */
  passwordHash?: string | null
}

/** Creates a session and ends the oldest beyond the limit. Returns whether it was created. */
export async function createPortalSession(tx: Tx, session: NewPortalSession): Promise<boolean> {
  const user = await tx.get<{ hash: string | null }>(
    `select password_hash as hash from users where id = ?${tx.forUpdate}`,
    session.userId,
  )
  if (session.passwordHash !== undefined && user?.hash !== session.passwordHash) return false
  await tx.run(
    `delete from portal_sessions where token_hash in (select token_hash from portal_sessions where user_id = ?
     order by created_at desc, token_hash limit 1000 offset ${BOUNDS.portalSessions - 1})`,
    session.userId,
  )
  await tx.insert('portal_sessions', [
    {
      token_hash: session.tokenHash,
      user_id: session.userId,
      created_at: tx.nowMs,
      expires_at: tx.nowMs + session.lifetimeMs,
      last_seen_at: tx.nowMs,
    },
  ])
  return true
}

export async function findPortalSession(
  reader: Reader,
  tokenHash: Uint8Array,
): Promise<{ user: User; createdAt: number } | undefined> {
  const now = await reader.now()
  const row = await reader.get<UserRow & { session_created_at: number }>(
    `select ${COLUMNS}, s.created_at as session_created_at from portal_sessions s join users u on u.id = s.user_id
     where s.token_hash = ? and s.expires_at > ?`,
    tokenHash,
    now,
  )
  return row && { user: toUser(row), createdAt: row.session_created_at }
}

export async function endPortalSession(tx: Tx, tokenHash: Uint8Array): Promise<void> {
  await tx.run('delete from portal_sessions where token_hash = ?', tokenHash)
}

export async function endPortalSessions(
  tx: Tx,
  input: { userId: string; keepTokenHash: Uint8Array | null },
): Promise<number> {
  return await tx.run(
    'delete from portal_sessions where user_id = ? and token_hash <> ?',
    input.userId,
    input.keepTokenHash ?? new Uint8Array(0),
  )
}

export interface NewSignInLink {
  tokenHash: Uint8Array
  userId: string
  lifetimeMs: number
  /**
   * The sealed token, for processes that start within this time: they show the same link instead of creating another.
   */
  shared?: { sealed: Uint8Array; withinMs: number }
}

/**
 * A user has one link at a time. Returns the sealed token of a link that was just created, or else stores this one as
 * the only one.
 */
export async function createSignInLink(tx: Tx, link: NewSignInLink): Promise<Uint8Array | null> {
  await tx.get(`select id from users where id = ?${tx.forUpdate}`, link.userId)
  const found = await tx.get<{ sealed: Uint8Array }>(
    'select sealed from sign_in_links where user_id = ? and sealed is not null and created_at > ?',
    link.userId,
    tx.nowMs - (link.shared?.withinMs ?? 0),
  )
  if (found !== undefined && link.shared !== undefined) return found.sealed
  await endSignInLinks(tx, link.userId)
  await tx.insert('sign_in_links', [
    {
      token_hash: link.tokenHash,
      user_id: link.userId,
      created_at: tx.nowMs,
      expires_at: tx.nowMs + link.lifetimeMs,
      sealed: link.shared?.sealed ?? null,
    },
  ])
  return null
}

async function endSignInLinks(tx: Tx, userId: string): Promise<void> {
  await tx.run('delete from sign_in_links where user_id = ?', userId)
}

/** Uses a link, which is valid once, and invalidates all other links of the user. */
export async function takeSignInLink(tx: Tx, tokenHash: Uint8Array): Promise<string | undefined> {
  const [taken] = await tx.all<{ user_id: string; expires_at: number }>(
    'delete from sign_in_links where token_hash = ? returning user_id, expires_at',
    tokenHash,
  )
  if (taken === undefined || taken.expires_at <= tx.nowMs) return undefined
  await endSignInLinks(tx, taken.user_id)
  return taken.user_id
}

function toUser(row: UserRow): User {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    passwordHash: row.password_hash,
    isOperator: row.is_operator === 1,
  }
}
