import { createHash, X509Certificate } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadEntries } from '@postern/simulator/journal'
import { passkeyOf } from '@postern/simulator/passkey/software-key'
import type { SavedUser } from '@postern/simulator/people'
import type { User } from '@postern/simulator/world/person'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Lease } from '../../src/domain/lease.ts'
import { StoreStorage } from '../../src/sandbox/store-storage.ts'
import { makeCertificate } from '../../test/harness/certificates.ts'
import { chromiumBinary } from '../../test/harness/chromium.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../../test/harness/gateway.ts'
import { until } from '../../test/harness/until.ts'
import { passkeyScript } from '../src/pairing/passkey-script.ts'

const FOLDER = resolve(import.meta.dirname, '../../extension')
const PAGE = 'https://web.whatsapp.com/'

/** The folder of the extension has no types. */
const { parseLink } = (await import(join(FOLDER, 'link.js'))) as { parseLink(text: string): object | undefined }

let gateway: TestGateway
let account: TestAccount
let platform: Server
let context: BrowserContext
let profile: string
let popup: string

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  account = await gateway.account()
  const { certificate, privateKey } = makeCertificate({ hosts: ['web.whatsapp.com'] })
  platform = createServer({ cert: certificate, key: privateKey }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Platform</h1>')
  })
  await new Promise<void>(listening => platform.listen(0, '127.0.0.1', listening))
  profile = mkdtempSync(join(tmpdir(), 'postern-extension-'))
  context = await openBrowser(profile, certificate)
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  popup = new URL('popup.html', worker.url()).href
})
afterAll(async () => {
  await context.close()
  platform.close()
  await gateway.stop()
  rmSync(profile, { recursive: true, force: true })
})

/** A browser with the extension. It can reach only this machine, and the platform's page is empty. */
async function openBrowser(folder: string, certificate: string): Promise<BrowserContext> {
  const extension = join(folder, 'extension')
  cpSync(FOLDER, extension, { recursive: true })
  // Grants the permission in advance, because no person confirms it.
  const manifest = JSON.parse(readFileSync(join(extension, 'manifest.json'), 'utf8'))
  manifest.host_permissions.push('http://127.0.0.1/*')
  writeFileSync(join(extension, 'manifest.json'), JSON.stringify(manifest))
  const key = new X509Certificate(certificate).publicKey.export({ format: 'der', type: 'spki' })
  const { port } = platform.address() as AddressInfo
  return await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: chromiumBinary(),
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=MAP web.whatsapp.com 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  })
}

const read = async (id: string) => (await account.ask('GET', `/v1/pairings/${id}`)).json

async function scanned(phone: string): Promise<string> {
  const { id } = (await account.ask('POST', '/v1/pairings', { platform: 'sandbox', method: 'qr', phone })).json
  await until(async () => (await read(id)).status === 'waiting')
  await account.ask('POST', `/sandbox/pairings/${id}/scan`)
  await until(async () => (await read(id)).status === 'passkey')
  return id
}

/** Adds the passkey of a sandbox number to the browser, like a password manager. */
async function givePasskey(page: Page, digits: string): Promise<void> {
  const entries = await loadEntries(new StoreStorage(gateway.context, {} as Lease))
  const { identity } = entries.get(`user/${digits}`) as SavedUser
  const key = passkeyOf({ digits, keys: { local: identity } } as unknown as User)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await devtools.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: key.credentialId.toString('base64'),
      isResidentCredential: true,
      rpId: 'whatsapp.com',
      privateKey: key.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      userHandle: key.userHandle.toString('base64'),
      signCount: 1,
    },
  })
}

/** The page of the platform that the extension opens for the link of a pairing. */
async function pasted(id: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(popup)
  await page.getByLabel('Link').fill((await read(id)).passkey.link)
  const opening = context.waitForEvent('page', other => other !== page)
  await page.getByRole('button', { name: 'Continue' }).click()
  const opened = await opening
  await page.close()
  return opened
}

describe('the extension', () => {
  test('a pasted link opens a page of the platform, where the passkey signs and links the number', async () => {
    const phone = '999617277539'
    const id = await scanned(phone)
    const opened = await pasted(id)
    await opened.getByText('Link your number to the gateway 127.0.0.1?').waitFor()
    await givePasskey(opened, phone)
    await opened.getByRole('button', { name: 'Use my passkey' }).click()
    await opened.getByText('Done. Go back to the gateway').waitFor()
    await until(async () => (await read(id)).status === 'linked')
    await opened.close()
  })

  test('a page of the platform that reloads requests the passkey again', async () => {
    const id = await scanned('999637277539')
    const opened = await pasted(id)
    const question = opened.getByText('Link your number to the gateway 127.0.0.1?')
    await question.waitFor()
    await opened.reload()
    await question.waitFor()
    await opened.close()
  })

  test('a used or invalid link shows an error text', async () => {
    const page = await context.newPage()
    await page.goto(popup)
    await page.getByLabel('Link').fill('https://example.com/')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This is not a link of a gateway. Copy the link again.').waitFor()
    await page.getByLabel('Link').fill(`${gateway.url}/passkey/pair_00000000000000000000000000#${'x'.repeat(43)}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('the link is wrong, was used or has expired').waitFor()
    await page.close()
  })

  test('the manifest requests only the needed permissions, and every file that it names exists', () => {
    const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8'))
    expect(manifest.manifest_version).toBe(3)
    expect(manifest.permissions).toEqual(['scripting', 'storage'])
    expect(manifest.host_permissions).toEqual(['https://web.whatsapp.com/*'])
    expect(manifest).not.toHaveProperty('content_scripts')
    const files = readdirSync(FOLDER)
    expect(files).toEqual(expect.arrayContaining([manifest.action.default_popup, manifest.background.service_worker]))
    const injected = [...readFileSync(join(FOLDER, 'service-worker.js'), 'utf8').matchAll(/files: \['(.+?)'\]/g)]
    expect(injected.map(match => match[1])).toEqual(['bridge.js', 'page.js'])
    expect(files).toEqual(expect.arrayContaining(['bridge.js', 'page.js', 'popup.js', 'link.js']))
  })

  const TICKET = 'a'.repeat(43)
  test.each([
    [`https://gateway.example/passkey/pair_01abc#${TICKET}`, true],
    [`http://127.0.0.1:8080/passkey/pair_01abc#${TICKET}`, true],
    [` https://gateway.example/passkey/pair_01abc#${TICKET}\n`, true],
    [`http://gateway.example/passkey/pair_01abc#${TICKET}`, false],
    [`https://gateway.example/passkey/../v1/me#${TICKET}`, false],
    ['https://gateway.example/passkey/pair_01abc', false],
    ['javascript:alert(1)', false],
    ['', false],
  ])('accepts the link %s: %s', (link, good) => {
    expect(parseLink(link) !== undefined).toBe(good)
  })
})

test('without the extension, the script for the console prints a response that links the number', async () => {
  const phone = '999627277539'
  const id = await scanned(phone)
  const page = await context.newPage()
  await page.goto(PAGE)
  await givePasskey(page, phone)
  const shown = page.waitForEvent('console', message => message.text().startsWith('{'))
  await page.evaluate(passkeyScript((await read(id)).passkey.options))
  const answer = await account.ask('POST', `/v1/pairings/${id}/passkey`, JSON.parse((await shown).text()))
  expect(answer.status, answer.text).toBe(200)
  await until(async () => (await read(id)).status === 'linked')
  await page.close()
})
