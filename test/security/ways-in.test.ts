import { Agent } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createSignInLink, ensureFirstAccount } from '../../src/actions/first-start.ts'
import { hashPassword } from '../../src/actions/sign-in/passwords.ts'
import { SignInAttempts } from '../../src/actions/sign-in/sign-in-attempts.ts'
import { type Answer, ask, expectError } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'
import { addUser, openBrowser, PASSWORD, signedIn } from '../harness/portal.ts'

describe('One-time links', () => {
  onAnyStore(gateway => {
    const use = (token: string) => openBrowser(gateway()).ask('POST', '/sign-in/link', { token })

    test('are replaced: a new link ends those before it', async () => {
      const user = await addUser(gateway())
      const [old, fresh] = [
        await createSignInLink(gateway(), user.userId),
        await createSignInLink(gateway(), user.userId),
      ]
      expectError(await use(old), 401, /link/)
      expect((await use(fresh)).status).toBe(200)
    })

    test('of a user, and of no other, end when a password is set, changed, or given by an operator', async () => {
      const [user, other] = [await addUser(gateway()), await addUser(gateway())]
      const bystander = await createSignInLink(gateway(), other.userId)
      const browser = await signedIn(gateway(), user)
      const unused = await createSignInLink(gateway(), user.userId)
      expect((await browser.ask('POST', '/password', { new_password: PASSWORD })).status).toBe(200)
      expectError(await use(unused), 401, /link/)
      const again = await createSignInLink(gateway(), user.userId)
      const change = { current_password: PASSWORD, new_password: `${PASSWORD}!` }
      expect((await browser.ask('POST', '/password', change)).status).toBe(200)
      expectError(await use(again), 401, /link/)
      const third = await createSignInLink(gateway(), user.userId)
      const path = `/operator/accounts/${user.accountId}`
      expect((await gateway().operator('PATCH', path, { password: PASSWORD })).status).toBe(200)
      expectError(await use(third), 401, /link/)
      expect((await use(bystander)).status).toBe(200)
    })

    test('are shared by processes that start together; a start after its use gives a new one, and none after a password', async () => {
      const starts = await Promise.all([1, 2, 3].map(() => ensureFirstAccount(gateway().context)))
      const [{ token }] = starts as [{ token: string }]
      expect(starts).toEqual([{ token }, { token }, { token }])
      const browser = openBrowser(gateway())
      expect((await browser.ask('POST', '/sign-in/link', { token })).status).toBe(200)
      const restarted = (await ensureFirstAccount(gateway().context))!
      expect(restarted.token).not.toBe(token)
      expect((await browser.ask('POST', '/password', { new_password: PASSWORD })).status).toBe(200)
      expectError(await use(restarted.token), 401, /link/)
      expect(await ensureFirstAccount(gateway().context)).toBeNull()
    })
  })
})

describe('Correct passwords', () => {
  onAnyStore(gateway => {
    const userWithPassword = async () => {
      const user = await addUser(gateway())
      const passwordHash = await hashPassword(PASSWORD)
      await gateway().store.users.changePassword({ userId: user.userId, passwordHash, keepTokenHash: null })
      return user
    }

    test('sign a user in with twenty browsers at most: the oldest is signed out', async () => {
      const [user, other] = [await addUser(gateway()), await addUser(gateway())]
      const bystander = await signedIn(gateway(), other)
      const browsers = []
      for (let i = 0; i < 22; i++) browsers.push(await signedIn(gateway(), user))
      const statuses = []
      for (const browser of browsers) statuses.push((await browser.ask('GET', '/session')).status)
      expect(statuses.filter(status => status === 200)).toHaveLength(20)
      expect(statuses.slice(-15)).toEqual(Array(15).fill(200))
      expect((await bystander.ask('GET', '/session')).status).toBe(200)
    })

    test('are slowed down too, separately for each account', async () => {
      const [user, other] = [await userWithPassword(), await userWithPassword()]
      const agent = new Agent({ localAddress: '127.0.7.1', keepAlive: true })
      const signIn = (email: string): Promise<Answer> =>
        ask(gateway().url, 'POST', '/portal/api/sign-in', {
          agent,
          body: { email, password: PASSWORD },
          headers: { origin: gateway().url },
        })
      const answers: Answer[] = []
      for (let i = 0; i < 24; i++) answers.push(await signIn(user.email))
      const taken = answers.filter(({ status }) => status === 200).length
      expect(taken).toBeGreaterThanOrEqual(20)
      expect(taken).toBeLessThan(24)
      expectError(answers.at(-1)!, 429, /too many/)
      expect(Number(answers.at(-1)!.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect((await signIn(other.email)).status).toBe(200)
    })
  })
})

test('an address creates twenty accounts, then one in three minutes, and its many requests do not slow other addresses', () => {
  let now = 0
  const attempts = new SignInAttempts(() => now)
  for (let i = 0; i < 20; i++) attempts.signUp('203.0.113.1')
  expect(() => attempts.signUp('203.0.113.1')).toThrow(/too many/)
  attempts.signUp('203.0.113.2')
  now += 180_000
  attempts.signUp('203.0.113.1')
  expect(() => attempts.signUp('203.0.113.1')).toThrow(/too many/)
  for (let i = 0; i < 300; i++) attempts.countRequest('203.0.113.1')
  expect(() => attempts.countRequest('203.0.113.1')).toThrow(/too many/)
  attempts.countRequest('203.0.113.2')
})

test('a crowd of others resets no allowance: neither of the guessed account, nor of the guessing address, nor of sign-ups', () => {
  const attempts = new SignInAttempts(() => 0)
  const strangers = Array.from({ length: 40_000 }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  for (let i = 0; i < 10; i++) attempts.begin(`198.51.100.${i}`, 'victim@example.com')
  for (let i = 0; i < 30; i++) attempts.begin('203.0.113.1', `guess${i}@example.com`)
  for (let i = 0; i < 20; i++) attempts.signUp('203.0.113.1')
  for (const [n, address] of strangers.entries()) {
    attempts.countRequest(address)
    attempts.begin(address, `nobody${n}@example.com`)
    attempts.signUp(address)
  }
  expect(() => attempts.begin('198.51.100.99', 'victim@example.com')).toThrow(/too many/)
  expect(() => attempts.begin('203.0.113.1', 'another@example.com')).toThrow(/too many/)
  expect(() => attempts.signUp('203.0.113.1')).toThrow(/too many/)
})
