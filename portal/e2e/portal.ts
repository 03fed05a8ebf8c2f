import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createSignInLink } from '../../src/actions/first-start.ts'
import { openChromium } from '../../test/harness/chromium.ts'
import { startTestGateway, type TestGateway } from '../../test/harness/gateway.ts'
import { addUser, type PortalUser } from '../../test/harness/portal.ts'

const BUILT = join(import.meta.dirname, '../dist/index.html')

export type Theme = 'light' | 'dark'

/** A visitor of the portal, in a separate browser window. */
export interface Visit {
  page: Page
  user: PortalUser
  /** Errors on the console, requests to other hosts and 5xx responses. */
  problems: string[]
  goTo(path: string): Promise<void>
  close(): Promise<void>
}

export interface VisitOptions {
  operator?: boolean
  acceptTos?: boolean
  theme?: Theme
  width?: number
  /** The preferred locale of the browser, such as `de-DE`. */
  locale?: string
  user?: PortalUser
}

/** A real gateway with all its roles, and a real browser. */
export interface Portal {
  gateway: TestGateway
  url: string
  /** Signs in with a one-time link, as a new user unless one is given. */
  visit(options?: VisitOptions): Promise<Visit>
  /** A window without a signed-in user. */
  window(theme?: Theme, width?: number, locale?: string): Promise<{ page: Page; problems: string[] }>
  stop(): Promise<void>
}

interface Started {
  gateway: TestGateway
  browser: Browser
}

/** Shared by all test files of a process. The browser and the gateway end with the process, which deletes the folder. */
let shared: Promise<Started> | undefined

async function start(env: Record<string, string> = {}): Promise<Started> {
  if (!existsSync(BUILT)) throw new Error('The portal is not built: run `npm run build` first.')
  const settings = { POSTERN_ROLES: 'api,worker,dispatcher,simulator', POSTERN_RETRY_DELAYS: '300ms,300ms,300ms' }
  return { gateway: await startTestGateway('sqlite', { ...settings, ...env }), browser: await openChromium() }
}

async function startShared(): Promise<Started> {
  const started = await start()
  process.once('exit', () => started.gateway.place.remove())
  return started
}

/** The shared gateway and browser of this process; with settings, a separate gateway. */
export async function openPortal(env?: Record<string, string>): Promise<Portal> {
  const { gateway, browser } = await (env === undefined ? (shared ??= startShared()) : start(env))
  const contexts: BrowserContext[] = []
  const portal: Portal = {
    gateway,
    url: gateway.url,
    async window(theme = 'light', width = 1280, locale = 'en-US') {
      const context = await browser.newContext({
        colorScheme: theme,
        reducedMotion: 'reduce',
        viewport: { width, height: 900 },
        locale,
      })
      contexts.push(context)
      // A headless browser cannot ask the user, and denies every permission that was not granted.
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.url })
      return await openWindow(context, gateway.url)
    },
    async visit(options = {}) {
      const user = options.user ?? (await addUser(gateway, options))
      const { page, problems } = await portal.window(options.theme, options.width, options.locale)
      await page.goto(`${gateway.url}/sign-in#${await createSignInLink(gateway, user.userId)}`)
      await page.locator('#main h1').waitFor()
      return {
        page,
        user,
        problems,
        goTo: async path => void (await page.goto(gateway.url + path)),
        close: () => page.context().close(),
      }
    },
    async stop() {
      await Promise.all(contexts.map(context => context.close()))
      if (env === undefined) return
      await browser.close()
      await gateway.stop()
    },
  }
  return portal
}

async function openWindow(context: BrowserContext, url: string) {
  const page = await context.newPage()
  page.setDefaultTimeout(240_000)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !/status of (400|401|403|404|409)/.test(message.text()))
      problems.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url()))
      problems.push(`asks ${request.url()}`)
  })
  page.on('response', response => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`)
  })
  return { page, problems }
}

/** Creates a sandbox number in the portal. */
export async function addSandboxNumber(page: Page, label: string): Promise<string> {
  await page.goto(new URL('/numbers?add=sandbox', page.url()).href)
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Add the number' }).click()
  const row = page.getByRole('row', { name: new RegExp(label) })
  await row.waitFor()
  return (await row.getByRole('link', { name: label }).getAttribute('data-row'))!
}

/** Sets one URL for every category of a number. Returns the secret, which is shown once. */
export async function setWebhook(page: Page, sessionId: string, target: string): Promise<string> {
  await page.goto(new URL(`/webhooks/new?number=${encodeURIComponent(sessionId)}`, page.url()).href)
  await page.getByLabel('Endpoint URL').fill(target)
  await page.getByRole('button', { name: 'Set the webhook' }).click()
  const secret = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { name: /^Webhook of/ }).waitFor()
  return secret
}

/** Creates an endpoint in the portal, and opens its page. Returns the secret, which is shown once. */
export async function createEndpoint(page: Page, target: string, description: string): Promise<string> {
  await page.goto(new URL('/endpoints?add=endpoint', page.url()).href)
  await page.getByLabel('URL', { exact: true }).fill(target)
  await page.getByLabel('Description').fill(description)
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  const secret = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { name: description, level: 1 }).waitFor()
  return secret
}

/** Creates an API key in the portal. Returns the key, which is shown once. */
export async function createKey(page: Page, label: string): Promise<string> {
  await page.goto(new URL('/keys?add=key', page.url()).href)
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Create the key' }).click()
  const key = await page.locator('[data-secret]').innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return key
}
