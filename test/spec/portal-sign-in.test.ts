import { expect, test } from 'vitest'
import { ask, expectError } from '../harness/client.ts'
import { onAnyStore, startTestGateway } from '../harness/gateway.ts'
import { addUser, openBrowser, PASSWORD, signedIn } from '../harness/portal.ts'

onAnyStore(gateway => {
  test('a new user signs up, is signed in, and sees their account', async () => {
    const browser = openBrowser(gateway())
    const email = `New.User-${Date.now()}@Example.com`
    const answer = await browser.ask('POST', '/sign-up', { name: 'Acme', email, password: PASSWORD })
    expect(answer.status, answer.text).toBe(200)
    const session = await browser.ask('GET', '/session')
    expect(session.json).toMatchObject({
      user: { email: email.toLowerCase(), is_operator: false, has_password: true },
      account: { name: 'Acme', plan: 'free', tos_accepted: false },
      sandbox: true,
      signup: 'open',
    })
    expect(session.text).not.toContain('argon2')
    const again = openBrowser(gateway())
    expect((await again.ask('POST', '/sign-in', { email, password: PASSWORD })).status).toBe(200)
    expect((await again.ask('GET', '/session')).json.user.email).toBe(email.toLowerCase())
  })

  test('an email that is taken cannot sign up again', async () => {
    const { email } = await addUser(gateway())
    const answer = await openBrowser(gateway()).ask('POST', '/sign-up', { name: 'Other', email, password: PASSWORD })
    expectError(answer, 400, /email/)
  })

  test('a one-time link works once', async () => {
    const user = await addUser(gateway())
    const { createSignInLink } = await import('../../src/actions/first-start.ts')
    const token = await createSignInLink(gateway(), user.userId)
    const browser = openBrowser(gateway())
    expect((await browser.ask('POST', '/sign-in/link', { token })).status).toBe(200)
    expect((await browser.ask('GET', '/session')).json.user).toMatchObject({ email: user.email, has_password: false })
    expectError(await openBrowser(gateway()).ask('POST', '/sign-in/link', { token }), 401, /link/)
  })

  test('signing out ends the session at once, even for a client that kept the cookie', async () => {
    const browser = await signedIn(gateway(), await addUser(gateway()))
    const kept = browser.cookie!
    expect((await browser.ask('POST', '/sign-out', {})).status).toBe(200)
    expect(browser.cookie).toBeUndefined()
    browser.cookie = kept
    expectError(await browser.ask('GET', '/session'), 401)
  })

  test('signing out everywhere ends every session of the user and of no other user', async () => {
    const user = await addUser(gateway())
    const [one, two, other] = [
      await signedIn(gateway(), user),
      await signedIn(gateway(), user),
      await signedIn(gateway(), await addUser(gateway())),
    ]
    expect((await one.ask('POST', '/sign-out-everywhere', {})).status).toBe(200)
    expectError(await two.ask('GET', '/session'), 401)
    expect((await other.ask('GET', '/session')).status).toBe(200)
  })

  test('a password is set, changed with the old one, and a change ends the other sessions', async () => {
    const user = await addUser(gateway())
    const browser = await signedIn(gateway(), user)
    expectError(await browser.ask('POST', '/email', { email: 'x@example.com' }), 400, /password/)
    expect((await browser.ask('POST', '/password', { new_password: PASSWORD })).status).toBe(200)
    const other = openBrowser(gateway())
    expect((await other.ask('POST', '/sign-in', { email: user.email, password: PASSWORD })).status).toBe(200)
    expectError(await browser.ask('POST', '/password', { new_password: 'something else' }), 400, /current_password/)
    const wrong = { current_password: 'not this one', new_password: 'something else' }
    expectError(await browser.ask('POST', '/password', wrong), 400, /current_password/)
    const right = { current_password: PASSWORD, new_password: 'something else' }
    expect((await browser.ask('POST', '/password', right)).status).toBe(200)
    expect((await browser.ask('GET', '/session')).status).toBe(200)
    expectError(await other.ask('GET', '/session'), 401)
    const old = await openBrowser(gateway()).ask('POST', '/sign-in', { email: user.email, password: PASSWORD })
    expectError(old, 401)
  })

  test('the email changes with the password, to one that no other user has', async () => {
    const [user, taken] = [await addUser(gateway()), await addUser(gateway())]
    const browser = await signedIn(gateway(), user)
    await browser.ask('POST', '/password', { new_password: PASSWORD })
    expectError(await browser.ask('POST', '/email', { email: taken.email, password: PASSWORD }), 400, /email/)
    const email = `moved-${user.email}`
    expect((await browser.ask('POST', '/email', { email, password: PASSWORD })).status).toBe(200)
    expect((await openBrowser(gateway()).ask('POST', '/sign-in', { email, password: PASSWORD })).status).toBe(200)
  })

  test('an operator sets a new email and password for a user, which signs out every session with the old ones', async () => {
    const user = await addUser(gateway())
    const browser = await signedIn(gateway(), user)
    const path = `/operator/accounts/${user.accountId}`
    const email = `found-${user.email}`
    const change = { email: email.toUpperCase(), password: PASSWORD }
    expect((await gateway().operator('PATCH', path, change)).status).toBe(200)
    expectError(await browser.ask('GET', '/session'), 401)
    expect((await browser.ask('POST', '/sign-in', { email, password: PASSWORD })).status).toBe(200)
    expectError(await browser.ask('POST', '/sign-in', { email: user.email, password: PASSWORD }), 401)
    expectError(await gateway().operator('PATCH', path, { password: 'short' }), 400, /at least 10 characters/)
  })

  test('the operations of the API work with the cookie as with a key', async () => {
    const user = await addUser(gateway(), { acceptTos: false })
    const browser = await signedIn(gateway(), user)
    expectError(await browser.ask('GET', '/v1/keys'), 403, 'terms of service not accepted')
    expect((await browser.ask('POST', '/v1/tos/accept', { version: '2026-01' })).status).toBe(200)
    const me = await browser.ask('GET', '/v1/me')
    expect(me.json).toMatchObject({ account: { id: user.accountId }, key: null })
    const created = await browser.ask('POST', '/v1/keys', { label: 'from the portal' })
    expect(created.status, created.text).toBe(201)
    const asKey = await ask(gateway().url, 'GET', '/v1/me', { key: created.json.key })
    expect(asKey.json.account.id).toBe(user.accountId)
    expectError(await browser.ask('POST', '/v1/keys', { label: 'x', nope: 1 }), 400, /nope/)
  })

  test('the cookie gives access to nothing but the portal', async () => {
    const browser = await signedIn(gateway(), await addUser(gateway()))
    const answer = await ask(gateway().url, 'GET', '/v1/me', { headers: { cookie: browser.cookie! } })
    expectError(answer, 401)
  })

  test('operators, and only they, reach the operator API', async () => {
    const operator = await signedIn(gateway(), await addUser(gateway(), { operator: true, acceptTos: false }))
    expect((await operator.ask('GET', '/operator/accounts')).status).toBe(200)
    expect((await operator.ask('GET', '/operator/overview')).json).toMatchObject({
      deliveries: { queued: expect.any(Number), due: expect.any(Number) },
      dead_letters: expect.any(Number),
    })
    const user = await signedIn(gateway(), await addUser(gateway()))
    for (const path of ['/operator/accounts', '/operator/overview']) expectError(await user.ask('GET', path), 403)
    expectError(await user.ask('POST', '/operator/accounts', { name: 'Mine', plan: 'max' }), 403)
  })
})

test('sign-up is refused if it is closed', async () => {
  const gateway = await startTestGateway('sqlite', { POSTERN_SIGNUP: 'closed' })
  const body = { name: 'Acme', email: 'a@example.com', password: PASSWORD }
  expectError(await openBrowser(gateway).ask('POST', '/sign-up', body), 403, /closed/)
  expect((await openBrowser(gateway).ask('GET', '/sign-in-options')).json.signup).toBe('closed')
  await gateway.stop()
})
