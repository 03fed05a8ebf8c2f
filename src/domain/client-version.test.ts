import { describe, expect, it } from 'vitest'
import {
  BUILT_IN,
  isOld,
  isPlausible,
  type PlatformVersion,
  revisionOf,
  versionsInUse,
  versionText,
} from './client-version.ts'

const DAY_MS = 86_400_000
const RELEASED_MS = BUILT_IN.learntAtMs

describe('a version of the web client', () => {
  it.each([
    ['2.3000.1043857760', 1_043_857_760],
    ['2.3000.1043857760-alpha', undefined],
    ['2.3000.104385776', undefined],
    ['2.3000.10438577600', undefined],
    ['2.2413.1043857760', undefined],
    ['v2.3000.1043857760', undefined],
    ['1043857760', undefined],
    ['', undefined],
  ])('%j names revision %s', (text, revision) => {
    expect(revisionOf(text)).toBe(revision)
  })

  it('is written as it is read', () => {
    expect(revisionOf(versionText(BUILT_IN.revision))).toBe(BUILT_IN.revision)
  })

  it.each([
    ['the built-in one', BUILT_IN.revision, 0, true],
    ['an older one that once was', 1_033_287_297, 0, true],
    ['one of half a year later, then', BUILT_IN.revision + 12_000_000, 180, true],
    ['the largest of ten digits', 9_999_999_999, 180, false],
    ['one that is two months ahead', BUILT_IN.revision + 180 * 65_000 + 60 * 1_000_000, 180, false],
    ['one of the busiest days, two weeks ahead', BUILT_IN.revision + 194 * 200_000, 180, true],
    ['one that is years ahead', BUILT_IN.revision + 400_000_000, 180, false],
    ['one from before there were revisions', 999_999_999, 180, false],
  ])('%s is plausible or not', (_what, revision, daysLater, expected) => {
    expect(isPlausible(revision, RELEASED_MS + daysLater * DAY_MS)).toBe(expected)
  })

  it('is old after two months', () => {
    expect(isOld(BUILT_IN, RELEASED_MS + 44 * DAY_MS)).toBe(false)
    expect(isOld(BUILT_IN, RELEASED_MS + 46 * DAY_MS)).toBe(true)
  })
})

describe('the versions in use', () => {
  const known = (platform: PlatformVersion['platform'], revision: number, source: PlatformVersion['source']) => ({
    ...BUILT_IN,
    platform,
    revision,
    source,
  })
  const all = [known('whatsapp', 1_045_000_000, 'page'), known('whatsapp', 1_043_857_760, 'built_in')]

  it.each([
    ['the newest that was learnt', all, null, [[1_045_000_000, 'page']]],
    [
      'not one that was once pinned',
      [...all, known('whatsapp', 1_049_000_000, 'pinned')],
      null,
      [[1_045_000_000, 'page']],
    ],
    ['the one that is pinned, also an older one', all, 1_043_857_760, [[1_043_857_760, 'pinned']]],
    ['the one that is pinned, before any number', [], 1_044_000_000, [[1_044_000_000, 'pinned']]],
    ['none before there is a number', [], null, []],
    [
      'one of each network',
      [known('sandbox', 1_044_500_000, 'page'), ...all],
      null,
      [
        [1_045_000_000, 'page'],
        [1_044_500_000, 'page'],
      ],
    ],
  ])('are %s', (_what, versions, pin, expected) => {
    expect(versionsInUse(versions, pin, 0).map(({ revision, source }) => [revision, source])).toEqual(expected)
  })
})
