import { expect, it } from 'vitest'
import { prettyLine } from './pretty-log.ts'

const line = (fields: object) => prettyLine(JSON.stringify({ time: new Date(2026, 0, 2, 3, 4, 5), ...fields }), false)

it('a log line for people is the time of day, the event and its fields', () => {
  expect(line({ level: 'info', session: '999@x', n: 2, none: null, msg: 'session.hosted' })).toBe(
    '03:04:05 session.hosted session=999@x n=2',
  )
})

it('a level that is not the usual one is named, and the stack of an error stands below', () => {
  const err = { name: 'Error', message: 'no', stack: 'Error: no\n    at here' }
  expect(line({ level: 'warn', err, msg: 'event.failed' })).toBe(
    '03:04:05 warn event.failed\n    Error: no\n    at here',
  )
})

it('no field can pose as another or command the terminal', () => {
  expect(line({ level: 'info', name: 'a b=c', jump: '\u001b[2Jx y', msg: 'x' })).toBe(
    '03:04:05 x name="a b=c" jump="x y"',
  )
  expect(line({ level: 'error', err: { name: 'E', message: 'a\rb' }, msg: 'x' })).not.toContain('\r')
})

it('colours are for terminals', () => {
  expect(prettyLine('{"level":"error","time":"2026-01-01T00:00:00Z","msg":"x"}', true)).toContain('\u001b[31m')
})
