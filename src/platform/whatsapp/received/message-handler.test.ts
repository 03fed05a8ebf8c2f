import { expect, it } from 'vitest'
import { type Withheld, withheldOf } from './message-handler.ts'

const part = (tag: string, attrs: Record<string, string> = {}) => ({ tag, attrs })

it.each<[string, ReturnType<typeof part>[], Withheld | undefined]>([
  ['a view-once message', [part('unavailable', { type: 'view_once' })], 'view_once'],
  ['one of a hosted device', [part('unavailable', { hosted: 'true' })], 'hosted'],
  ['one of a bot', [part('bot'), part('unavailable')], 'bot'],
  ['any other', [part('unavailable')], 'plain'],
  ['one with an unknown type', [part('unavailable', { type: 'constructor' })], 'plain'],
  ['a mark beside a message that is there', [part('enc'), part('unavailable', { type: 'view_once' })], undefined],
  ['a message', [part('enc')], undefined],
])('%s', (_name, content, kind) => {
  expect(withheldOf({ tag: 'message', attrs: {}, content })).toBe(kind)
})
