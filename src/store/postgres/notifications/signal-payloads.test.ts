import { describe, expect, it } from 'vitest'
import type { Signal } from '../../signals.ts'
import { SignalSet } from './signal-set.ts'
import { cutToPayloads, decodeSignals, payloadOf } from './signal-payloads.ts'

const sent = (signals: Signal[]): string[] =>
  cutToPayloads(signals.map(signal => ({ text: JSON.stringify(signal) }))).map(payloadOf)

describe('signals between processes', () => {
  it('arrive as they were sent, in order', () => {
    const signals: Signal[] = [
      { about: 'commands', sessionId: '15550001111:1@s.whatsapp.net' },
      { about: 'deliveries', lane: 'wh_1:messages', dueAt: 1_700_000_000_000 },
      { about: 'hosts' },
    ]
    expect(sent(signals).flatMap(decodeSignals)).toEqual(signals)
  })

  it('are cut into payloads that the database carries', () => {
    const signals = Array.from({ length: 1_000 }, (_, i): Signal => ({ about: 'sessions', sessionId: `${i}é` }))
    const payloads = sent(signals)
    expect(payloads.length).toBeGreaterThan(1)
    expect(Math.max(...payloads.map(payload => Buffer.byteLength(payload)))).toBeLessThan(8_000)
    expect(payloads.flatMap(decodeSignals)).toEqual(signals)
  })

  it('of nothing are no payload', () => expect(sent([])).toEqual([]))

  it.each([
    ['no JSON', 'x', 0],
    ['nothing', '', 0],
    ['no list', '{"about":"hosts"}', 0],
    ['null', '[null]', 0],
    ['no topic', '[{}]', 0],
    ['an unknown topic', '[{"about":"weather"}]', 0],
    ['a name that every object has', '[{"about":"toString"}]', 0],
    ['a field that is missing', '[{"about":"commands"}]', 0],
    ['a field of another type', '[{"about":"deliveries","lane":"l","dueAt":"soon"}]', 0],
    ['something unknown beside something known', '[{"about":"weather"},{"about":"hosts"}]', 1],
  ])('%s is left out', (_, payload, understood) => expect(decodeSignals(payload)).toHaveLength(understood))
})

describe('gathered signals', () => {
  const delivery = (lane: string, dueAt: number): Signal => ({ about: 'deliveries', lane, dueAt })
  const command: Signal = { about: 'commands', sessionId: '1' }

  it.each([
    ['the same twice is one', [command, { ...command }], [command]],
    [
      'a lane is read from its earliest due time',
      [delivery('a', 5), delivery('a', 3), delivery('a', 9)],
      [delivery('a', 3)],
    ],
    ['lanes stay apart', [delivery('a', 5), delivery('b', 3)], [delivery('a', 5), delivery('b', 3)]],
  ])('%s', (_, added, left) => {
    const signals = new SignalSet()
    for (const signal of added) signals.add(signal)
    expect(signals.take()).toEqual(left)
    expect(signals.size).toBe(0)
  })
})
