import { createSignInLink } from '../../src/actions/first-start.ts'
import { makeId } from '../../src/domain/ids.ts'
import { type Answer, ask } from './client.ts'
import type { TestGateway } from './gateway.ts'

export const PASSWORD = 'correct horse battery'

/** Behaves like a browser towards the gateway: it keeps the cookie and sends its origin. */
export interface Browser {
  cookie: string | undefined
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export function openBrowser(gateway: TestGateway): Browser {
  const browser: Browser = {
    cookie: undefined,
    async ask(method, path, body, headers = {}) {
      const answer = await ask(gateway.url, method, `/portal/api${path}`, {
        body,
        headers: {
          ...(method === 'GET' ? {} : { origin: gateway.url, 'sec-fetch-site': 'same-origin' }),
          ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
          ...headers,
        },
      })
      const set = answer.headers['set-cookie']?.[0]
      if (set !== undefined) browser.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';')[0]
      return answer
    },
  }
  return browser
}

export interface PortalUser {
  accountId: string
  userId: string
  email: string
}

let users = 0

/** A user with an account. */
export async function addUser(
  { store }: Pick<TestGateway, 'store'>,
  options: { operator?: boolean; acceptTos?: boolean } = {},
): Promise<PortalUser> {
  const userId = makeId('usr')
  const email = `user-${process.pid}-${users++}@example.com`
  const accountId = makeId('acc')
  await store.accounts.createAccount({
    id: accountId,
    name: 'Acme',
    plan: 'max',
    limitOverrides: {},
    acceptTosVersion: (options.acceptTos ?? true) ? '2026-01' : null,
    user: { id: userId, email, passwordHash: null, isOperator: options.operator ?? false },
    key: null,
  })
  return { accountId, userId, email }
}

/** Signs in by a one-time link. */
export async function signedIn(gateway: TestGateway, user: PortalUser): Promise<Browser> {
  const browser = openBrowser(gateway)
  const answer = await browser.ask('POST', '/sign-in/link', { token: await createSignInLink(gateway, user.userId) })
  if (answer.status !== 200) throw new Error(answer.text)
  return browser
}
