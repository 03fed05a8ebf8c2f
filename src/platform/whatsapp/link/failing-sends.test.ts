import { describe, expect, test } from 'vitest'
import type { Ack } from './acks.ts'
import { FailingSends } from './failing-sends.ts'

const REFUSED: Ack = { ok: false, code: 400 }
const ACCEPTED: Ack = { ok: true, atMs: 0, serverId: null }

function watch() {
  const reports: boolean[] = []
  const logins: string[] = []
  const sends = new FailingSends(areFailing => reports.push(areFailing))
  const connection = { end: ({ reason }: { reason: string }) => void logins.push(reason) }
  const note = (ack: Ack | 'timeout' | 'lost', ...chats: string[]) =>
    chats.forEach(chat => sends.note(connection as never, chat, ack))
  return { reports, logins, note }
}

const CHATS = ['a', 'b', 'c', 'd', 'e']

describe('A link on which messages fail', () => {
  test('logs in again after five chats in a row, and is reported only if that does not help', () => {
    const { reports, logins, note } = watch()
    note(REFUSED, 'a', 'b', 'c')
    note('timeout', 'd')
    expect(logins).toEqual([])
    note('timeout', 'e')
    expect([logins.length, reports]).toEqual([1, []])
    note(REFUSED, ...CHATS)
    expect([logins.length, reports]).toEqual([1, [true]])
    note(ACCEPTED, 'a')
    expect(reports).toEqual([true, false])
    note(REFUSED, ...CHATS)
    expect([logins.length, reports]).toEqual([2, [true, false]])
  })

  test.each([
    ['one chat refuses often', () => CHATS.map(() => ['same', REFUSED] as const)],
    ['one message is accepted in between', () => CHATS.map((chat, i) => [chat, i === 2 ? ACCEPTED : REFUSED] as const)],
    ['the refusals are about people or content', () => CHATS.map(chat => [chat, { ok: false, code: 479 }] as const)],
    ['the link was lost', () => CHATS.map(chat => [chat, 'lost'] as const)],
  ])('does not log in again if %s', (_, outcomes) => {
    const { reports, logins, note } = watch()
    for (const [chat, ack] of outcomes()) note(ack as Ack, chat)
    expect([logins, reports]).toEqual([[], []])
  })
})
