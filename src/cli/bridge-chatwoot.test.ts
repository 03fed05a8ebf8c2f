import { describe, expect, it } from 'vitest'
import { ConfigError } from '../boot/config-error.ts'
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
})
