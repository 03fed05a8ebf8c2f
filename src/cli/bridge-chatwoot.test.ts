import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../boot/config-error.ts'
import { withDotEnv } from '../boot/dot-env.ts'
import { readBridgeSettings } from './bridge-chatwoot.ts'

describe('the settings of the bridge', () => {
  const env = { CHATWOOT_URL: 'https://chat.example/', CHATWOOT_TOKEN: 't', CHATWOOT_ACCOUNT: '1', CHATWOOT_INBOX: '2' }
  it('come from the environment, and an option takes precedence', () => {
    expect(readBridgeSettings({ inbox: '5' }, env)).toMatchObject({
      origin: 'https://chat.example',
      account: 1,
      inbox: 5,
    })
  })

  it.each([
    [{ CHATWOOT_URL: '' }, /--chatwoot is missing: give it, or set CHATWOOT_URL/],
    [{ CHATWOOT_URL: 'chat.example' }, /is not an address/],
    [{ CHATWOOT_TOKEN: '' }, /CHATWOOT_TOKEN is not set/],
    [{ CHATWOOT_TOKEN: 'a b' }, /CHATWOOT_TOKEN has a space/],
    [{ CHATWOOT_INBOX: 'two' }, /--inbox must be a whole number/],
    [{ CHATWOOT_TOKN: 'x' }, /CHATWOOT_TOKN is not a setting of the bridge/],
  ])('%j is rejected with a message', (change, words) => {
    expect(() => readBridgeSettings({}, { ...env, ...change })).toThrow(ConfigError)
    expect(() => readBridgeSettings({}, { ...env, ...change })).toThrow(words)
  })

  it('keep a token out of a file from an address that only .env names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-bridge-'))
    writeFileSync(join(folder, 'token'), 'secret')
    const { CHATWOOT_TOKEN: _token, CHATWOOT_URL, ...rest } = env
    writeFileSync(join(folder, '.env'), `CHATWOOT_URL=${CHATWOOT_URL}\nCHATWOOT_TOKEN=`)
    const read = withDotEnv({ ...rest, CHATWOOT_TOKEN_FILE: join(folder, 'token') }, folder)
    expect(() => readBridgeSettings({}, read)).toThrow(/CHATWOOT_URL of this folder is .*, but CHATWOOT_TOKEN is not/)
    expect(readBridgeSettings({ chatwoot: CHATWOOT_URL }, read).token).toBe('secret')
    rmSync(folder, { recursive: true })
  })
})
