import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterLink, type LinkMemory, type LinkStep, msToDisconnected } from './link-watch.ts'

const GRACE = 15_000
const paired: LinkMemory = { state: 'connecting', downSince: 0, reported: null }

function play(steps: Array<[LinkStep['kind'], number]>, memory: LinkMemory = paired): string[] {
  const reported: string[] = []
  for (const [kind, atMs] of steps) {
    const next = afterLink(memory, { kind }, atMs, GRACE)
    memory = next.memory
    if (next.report !== null) reported.push(next.report)
  }
  return reported
}

describe('the connection events of a link', () => {
  it.each<[string, Array<[LinkStep['kind'], number]>, string[]]>([
    ['first time connected', [['opened', 100]], ['connected']],
    [
      'a short drop',
      [
        ['opened', 0],
        ['closed', 10],
        ['waited', 14_000],
        ['opened', 14_900],
      ],
      ['connected'],
    ],
    [
      'a long drop',
      [
        ['opened', 0],
        ['closed', 10],
        ['waited', 15_010],
        ['waited', 99_000],
      ],
      ['connected', 'disconnected'],
    ],
    [
      'recovered',
      [
        ['opened', 0],
        ['closed', 10],
        ['waited', 15_010],
        ['opened', 20_000],
        ['closed', 20_100],
        ['opened', 20_200],
      ],
      ['connected', 'disconnected', 'connected'],
    ],
    [
      'never connected',
      [
        ['waited', 15_000],
        ['opened', 16_000],
      ],
      ['connected'],
    ],
    [
      'logged out',
      [
        ['opened', 0],
        ['logged_out', 5],
        ['opened', 6],
        ['waited', 99_000],
      ],
      ['connected', 'logged_out'],
    ],
  ])('%s', (_name, steps, reported) => {
    expect(play(steps)).toEqual(reported)
  })

  it('drops shorter than the grace give no event, however many', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: GRACE - 1 }), { maxLength: 100 }), drops => {
        let nowMs = 0
        const steps: Array<[LinkStep['kind'], number]> = [['opened', 0]]
        for (const drop of drops) {
          steps.push(['closed', nowMs], ['waited', nowMs + drop], ['opened', nowMs + drop])
          nowMs += drop + 1
        }
        expect(play(steps)).toEqual(['connected'])
      }),
    )
  })

  it('connected and disconnected take turns, whatever happens', () => {
    const step = fc.tuple(
      fc.constantFrom<LinkStep['kind']>('opened', 'closed', 'waited'),
      fc.integer({ min: 0, max: 40_000 }),
    )
    fc.assert(
      fc.property(fc.array(step), steps => {
        let nowMs = 0
        const reported = play(steps.map(([kind, ms]) => [kind, (nowMs += ms)]))
        for (let i = 1; i < reported.length; i++) expect(reported[i]).not.toBe(reported[i - 1])
      }),
    )
  })

  it('the time to disconnected goes on counting across hosts', () => {
    expect(msToDisconnected({ state: 'connecting', downSince: 1_000, reported: 'connected' }, 11_000, GRACE)).toBe(
      5_000,
    )
    expect(
      msToDisconnected({ state: 'disconnected', downSince: 1_000, reported: 'disconnected' }, 11_000, GRACE),
    ).toBeNull()
    expect(msToDisconnected({ state: 'connected', downSince: null, reported: 'connected' }, 11_000, GRACE)).toBeNull()
  })
})
