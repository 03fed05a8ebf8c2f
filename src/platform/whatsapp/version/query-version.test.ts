import { describe, expect, it } from 'vitest'
import { revisionInList, revisionOnPage } from './query-version.ts'

describe('the page of the platform', () => {
  it.each([
    ['plain', '{"client_revision":1045123456,"x":1}', 1_045_123_456],
    ['with spaces', '{"client_revision" : 1045123456 }', 1_045_123_456],
    ['quoted in a text', String.raw`JSON.parse("{\"client_revision\":1045123456,\"push\":1}")`, 1_045_123_456],
    ['without the word', '<html>Browser not supported 1045123456</html>', undefined],
    ['with another word that ends alike', '{"old_client_revision":1045123456}', undefined],
    ['with too many digits', '{"client_revision":10451234567}', undefined],
    ['with too few', '{"client_revision":104512345}', undefined],
    ['with a text', '{"client_revision":"1045123456"}', undefined],
    ['empty', '', undefined],
  ])('%s is read strictly', (_what, page, revision) => {
    expect(revisionOnPage(page)).toBe(revision)
  })
})

describe('the list of wa-version', () => {
  it.each([
    ['its newest', '{"currentBeta":null,"currentVersion":"2.3000.1045123456-alpha","versions":[]}', 1_045_123_456],
    ['without a suffix', '{"currentVersion":"2.3000.1045123456"}', 1_045_123_456],
    ['another suffix', '{"currentVersion":"2.3000.1045123456-beta"}', undefined],
    ['another line of versions', '{"currentVersion":"2.2413.51"}', undefined],
    ['none', '{"currentVersion":null}', undefined],
    ['no object', '"2.3000.1045123456"', undefined],
    ['null', 'null', undefined],
    ['no JSON', '<html>', undefined],
  ])('%s is read strictly', (_what, list, revision) => {
    expect(revisionInList(list)).toBe(revision)
  })
})
