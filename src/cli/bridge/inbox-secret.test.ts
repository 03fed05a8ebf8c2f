import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { BridgeLedger } from '../../store/bridge/bridge-ledger.ts'
import { Seal } from '../../store/seal.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { InboxSecret } from './inbox-secret.ts'
import { Says } from './says.ts'
import { readBridgeSettings } from './settings.ts'

const settings = readBridgeSettings(
  {},
  { CHATWOOT_URL: 'https://chat.example', CHATWOOT_TOKEN: 't', CHATWOOT_ACCOUNT: '1', CHATWOOT_INBOX: '2' },
)
let folder: string
let ledger: BridgeLedger
let told: string | null
let secret: InboxSecret
const printed: string[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-secret-'))
  ledger = new BridgeLedger(join(folder, 'bridge.db'), { seal: new Seal([Buffer.alloc(32, 1)]), clock: systemClock })
  const api = { inbox: async () => ({ channel_type: 'Channel::Api', secret: told }) } as unknown as ChatwootApi
  secret = new InboxSecret({ api, ledger, clock: systemClock, settings, says: new Says(false, systemClock) })
  printed.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  ledger.close()
  rmSync(folder, { recursive: true })
})

it.each([[null], ['']])('a secret that is known stays where Chatwoot tells %j', async later => {
  told = 'first'
  await secret.learn()
  told = later
  await secret.learn()
  expect(await secret.current(false)).toBe('first')
  told = 'second'
  await secret.learn()
  expect(await secret.current(false)).toBe('second')
  expect(printed).toEqual([])
})

it('it is said once that webhooks are believed without a signature', async () => {
  told = null
  await secret.learn()
  for (let times = 0; times < 3; times++) expect(await secret.current(false)).toBeNull()
  expect(printed).toEqual([expect.stringContaining('believed by the secret in their path alone')])
})

it('ids from the wire do nothing to a terminal', () => {
  const says = new Says(false, systemClock)
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  says.done('to_chatwoot', { message: 'A\u001b[2J\u202e' })
  says.news('given_up', 'message A\u001b[2J was given up.')
  new Says(true, systemClock).done('to_chatwoot', { message: 'A\u009b\u202e' })
  expect(printed).toHaveLength(3)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  for (const line of printed) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})
