import { tooManyOpen } from '../../domain/errors.ts'
import { Semaphore } from '../../runtime/semaphore.ts'

/** argon2id with the parameters that OWASP recommends. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** Each hash takes 19 MB and a thread of the pool that also resolves DNS names. */
const MAX_PARALLEL = 2
const MAX_WAITING = 64

/** Loaded with the first password: most processes never need it. */
const argon2 = () => import('@node-rs/argon2')

const hashing = new Semaphore(MAX_PARALLEL)

export const hashPassword = (password: string): Promise<string> => inPool(() => hashNow(password))

const hashNow = async (password: string): Promise<string> => (await argon2()).hash(password, PARAMETERS)

let dummy: Promise<string> | undefined

/** Whether the password is right. Without a hash this takes the same time and returns `false`. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  dummy ??= hashNow('of no user')
  const against = passwordHash ?? (await dummy)
  const matches = await inPool(async () => (await argon2()).verify(against, password).catch(() => false))
  return matches && passwordHash !== null
}

/** Hashes in the thread pool, a few at a time, so that many sign-ins do not take all memory and threads. */
async function inPool<T>(work: () => Promise<T>): Promise<T> {
  if (hashing.waiting >= MAX_WAITING) throw tooManyOpen('too many sign-ins at once', 1000)
  return await hashing.run(work)
}
