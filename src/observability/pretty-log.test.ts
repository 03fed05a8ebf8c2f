import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { symbols } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { makeLog } from './log.ts'
import { prettyLine } from './pretty-log.ts'

const line = (fields: object) => prettyLine(JSON.stringify({ time: new Date(2026, 0, 2, 3, 4, 5), ...fields }), false)

it('a pretty log line is the time of day, the event and its fields', () => {
  expect(line({ level: 'info', session: '999@x', n: 2, none: null, msg: 'session.hosted' })).toBe(
    '03:04:05 session.hosted session=999@x n=2',
  )
})

it('a pretty log line names every level but info, and puts the stack of an error below', () => {
  const err = { name: 'Error', message: 'no', stack: 'Error: no\n    at here' }
  expect(line({ level: 'warn', err, msg: 'event.failed' })).toBe(
    '03:04:05 warn event.failed\n    Error: no\n    at here',
  )
})

it('a field with spaces is quoted, so that it cannot pose as several', () => {
  expect(line({ level: 'info', name: 'a b=c', msg: 'x' })).toBe('03:04:05 x name="a b=c"')
  expect(line({ level: 'info', 'a b': 1, msg: 'x' })).toBe('03:04:05 x "a b"=1')
})

it('a pretty log line has colours for terminals only', () => {
  expect(prettyLine('{"level":"error","time":"2026-01-01T00:00:00Z","msg":"x"}', true)).toContain('\u001b[31m')
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Everything that a terminal obeys, or that changes where or in which direction it shows what follows. */
const CONTROLS = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0x061c,
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x2069),
  0xd800,
  0xdfff,
  0xfeff,
  ...range(0xfff9, 0xfffb),
  0xe0001,
].map(code => [`U+${code.toString(16).padStart(4, '0')}`, String.fromCodePoint(code)] as const)

it.each([
  ['a string', (text: string) => ({ field: text })],
  ['an array', (text: string) => ({ field: [text] })],
  ['an object', (text: string) => ({ field: { [text]: text } })],
  ['the name of a field', (text: string) => ({ [text]: 1 })],
  ['an event', (text: string) => ({ msg: text })],
  ['a level', (text: string) => ({ level: text })],
  ['the message of an error', (text: string) => ({ err: { name: 'E', message: text } })],
  ['the stack of an error', (text: string) => ({ err: { stack: `E: ${text}\n    at here` } })],
])('every control character in %s is shown as an escape', (place, fieldsWith) => {
  for (const [name, control] of CONTROLS) {
    // The lines of an error stay lines, each indented.
    if (control === '\n' && place.endsWith('error')) continue
    const shown = line({ level: 'info', msg: 'x', ...fieldsWith(`a${control}b`) }).replaceAll('\n    ', '')
    expect(shown, name).not.toContain(control)
    expect(shown, name).toMatch(/a\\(u[0-9a-f]{4}|[bfnrt])(\\u[0-9a-f]{4})?b/)
  }
})

it('no sequence of controls becomes another one', () => {
  expect(line({ level: 'info', name: '\u001b[\u001b[2J2J', msg: 'x' })).toBe(
    String.raw`03:04:05 x name="\u001b[\u001b[2J2J"`,
  )
})

describe('the output of a log', () => {
  let folder = ''
  let reader = -1
  let writer = -1
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-log-'))
    execFileSync('mkfifo', [join(folder, 'out')])
    reader = openSync(join(folder, 'out'), constants.O_RDONLY | constants.O_NONBLOCK)
    // Stays open: the log goes on writing to it.
    writer = openSync(join(folder, 'out'), constants.O_WRONLY)
  })
  afterEach(() => {
    if (reader !== -1) closeSync(reader)
    rmSync(folder, { recursive: true })
  })
  const close = () => {
    closeSync(reader)
    reader = -1
  }

  it('may be closed: the process goes on without it', async () => {
    const log = makeLog('info', 'pretty', systemClock, writer)
    close()
    for (let n = 0; n < 100; n++) log.info({ n }, 'number.counted')
    await sleep(300)
    for (let n = 0; n < 100; n++) log.info({ n }, 'number.counted')
    log.flush()
    await sleep(300)
  })

  it('may be closed when the process exits: writing the last lines ends', () => {
    const log = makeLog('info', 'pretty', systemClock, writer)
    close()
    for (let n = 0; n < 100; n++) log.info({ n }, 'number.counted')
    ;(log as unknown as Record<symbol, { flushSync(): void }>)[symbols.streamSym]!.flushSync()
  })

  it('may go unread: the process goes on, drops lines beyond the buffer, and reports how many', async () => {
    const log = makeLog('info', 'pretty', systemClock, writer)
    const filler = 'x'.repeat(100_000)
    for (let n = 0; n < 200; n++) log.info({ n, filler }, 'number.counted')
    await sleep(250)
    const bytes = Buffer.alloc(1 << 20)
    let text = ''
    while (!text.slice(-200).includes('log.lines_dropped')) {
      try {
        text += bytes.toString('utf8', 0, readSync(reader, bytes))
      } catch {
        await sleep(5)
      }
    }
    const counted = text.match(/number\.counted/g)!.length
    const dropped = Number(/"?dropped"?[=:](\d+)/.exec(text)![1])
    expect(dropped).toBeGreaterThan(0)
    expect(counted + dropped).toBe(200)
  })

  it('may go unread as JSON lines too: no batch adds a listener while an earlier one is being written', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const emitted = vi.spyOn(process, 'emitWarning')
    try {
      const log = makeLog('info', 'json', systemClock, writer)
      const filler = 'x'.repeat(100_000)
      for (let n = 0; n < 20; n++) {
        log.info({ n, filler: n === 0 ? filler : '' }, 'number.counted')
        vi.advanceTimersByTime(1_000)
      }
      expect(emitted).not.toHaveBeenCalled()
    } finally {
      emitted.mockRestore()
      vi.useRealTimers()
    }
  })
})
