import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../src/runtime/clock.ts'
import { BridgeLedger } from './ledger.ts'
import { Seal } from '../../../src/store/seal.ts'
import type { ChatwootApi } from './chatwoot-api.ts'
import { InboxSecret } from './inbox-secret.ts'
import { BridgeLog } from './bridge-log.ts'

const settings = { origin: 'https://chat.example', account: 1, inbox: 2 }
let folder: string
let ledger: BridgeLedger
let reported: string | null
let secret: InboxSecret
const printed: string[] = []
const print = (line: string): void => void printed.push(line)
const output = { out: print, error: print }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-secret-'))
  ledger = new BridgeLedger(join(folder, 'bridge.db'), { seal: new Seal([Buffer.alloc(32, 1)]), clock: systemClock })
  const api = { inbox: async () => ({ channel_type: 'Channel::Api', secret: reported }) } as unknown as ChatwootApi
  secret = new InboxSecret({
    api,
    ledger,
    clock: systemClock,
    settings,
    log: new BridgeLog(false, systemClock, output),
  })
  printed.length = 0
})
afterEach(() => {
  ledger.close()
  rmSync(folder, { recursive: true })
})

it.each([[null], ['']])('a known key stays when Chatwoot reports %j', async later => {
  reported = 'first'
  await secret.learn()
  reported = later
  await secret.learn()
  expect(await secret.current(false)).toBe('first')
  reported = 'second'
  await secret.learn()
  expect(await secret.current(false)).toBe('second')
  expect(printed).toEqual([])
})

it('the bridge warns once that webhooks have no signature', async () => {
  reported = null
  await secret.learn()
  for (let times = 0; times < 3; times++) expect(await secret.current(false)).toBeNull()
  expect(printed).toEqual([expect.stringContaining('believed by the secret in their path alone')])
})

it('the log removes control characters of ids', () => {
  const log = new BridgeLog(false, systemClock, output)
  log.info('to_chatwoot', { message: 'A\u001b[2J\u202e' })
  log.warn('given_up', 'message A\u001b[2J was given up.')
  new BridgeLog(true, systemClock, output).info('to_chatwoot', { message: 'A\u009b\u202e' })
  expect(printed).toHaveLength(3)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  for (const line of printed) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})
