import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import { createSignInLink } from '../dist/actions/first-start.js'
import { readConfig } from '../dist/config.js'
import { makeId } from '../dist/domain/ids.js'
import { startGateway } from '../dist/gateway.js'
import { fillPortal } from './portal-data.mjs'

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
  if (found === undefined) throw new Error('Chromium is needed: install the package "chromium".')
  return found
}

/** The complete gateway with an account full of data, and a browser that is signed in. */
export async function openStage({ roles = 'api', ...amounts }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-stage-'))
  const gateway = await startGateway(
    readConfig({ POSTERN_PORT: '0', POSTERN_ROLES: roles, POSTERN_LOG_LEVEL: 'silent', POSTERN_DATA_DIR: dataDir }),
  )
  const { store, seal } = gateway.context
  const accountId = makeId('acc')
  const user = { id: makeId('usr'), email: 'ada@acme.example', passwordHash: null, isOperator: true }
  const account = { id: accountId, name: 'Acme', plan: 'max', limitOverrides: {}, acceptTosVersion: '2026-01' }
  await store.accounts.createAccount({ ...account, user, key: null })
  const sessions = fillPortal({ dataDir, accountId, seal, ...amounts })
  const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS })
  return {
    gateway,
    sessions,
    accountId,
    url: gateway.localUrl,
    /** A signed-in page. */
    async visit(options, userId = user.id) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.goto(`${gateway.localUrl}/sign-in#${await createSignInLink({ store }, userId)}`)
      await page.locator('#main h1').waitFor()
      return page
    },
    /** Creates a user with an empty account; returns the user's id. */
    async addNewcomer(acceptTosVersion) {
      const newcomer = { id: makeId('usr'), passwordHash: null, isOperator: false }
      const empty = { ...account, id: makeId('acc'), name: 'Newcomer', plan: 'free', acceptTosVersion }
      await store.accounts.createAccount({
        ...empty,
        user: { ...newcomer, email: `${newcomer.id}@acme.example` },
        key: null,
      })
      return newcomer.id
    },
    async close() {
      await browser.close()
      await gateway.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
