import { expect, it } from 'vitest'
import { parsePasskeyOptions } from './passkey.ts'

const CHALLENGE = 'A'.repeat(43)

it.each([
  [`{"challenge":"${CHALLENGE}","rpId":"whatsapp.com"}`, true],
  [`{"challenge":"${CHALLENGE}="}`, false],
  ['{"challenge":"short"}', false],
  ['{"challenge":7}', false],
  ['{}', false],
  ['null', false],
  ['[]', false],
  ['text', false],
  [`{"challenge":"${CHALLENGE}","more":"${'x'.repeat(20_000)}"}`, false],
])('the options %.40s: %s', (text, good) => {
  expect(parsePasskeyOptions(text) !== undefined).toBe(good)
})
