import { expect, test } from 'vitest'
import { rejectedBy } from './gateway-client.ts'

test('the error of a problem has its detail, and its type as the page to read', () => {
  const json = { type: 'http://g/docs/errors#not_found', title: 'x', detail: 'webhook not found', error: 'not read' }
  expect(rejectedBy('the gateway', { status: 404, json })).toMatchObject({
    message: 'the gateway answered 404: webhook not found',
    readOn: 'http://g/docs/errors#not_found',
  })
})

test.for<[Record<string, unknown>, string]>([
  [{ error: 'rate limit exceeded' }, 'rate limit exceeded'],
  [{ detail: 'away', type: 'about:blank' }, 'away'],
  [{ detail: '', error: 'away', type: 'http://g/\u001b[2J' }, 'away'],
  [{ error: 'a\u001b[2J' }, 'a�[2J'],
  [{ error: { code: 1 } }, 'no JSON'],
  [{}, 'no JSON'],
])('the error of %o, which a proxy sends, has a text and no page to read', ([json, text]) => {
  const error = rejectedBy('the gateway', { status: 502, json }, '. Try again.')
  expect([error.message, error.readOn]).toEqual([`the gateway answered 502: ${text}. Try again.`, undefined])
})
