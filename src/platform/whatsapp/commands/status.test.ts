import type { proto, WASocket } from 'baileys'
import { expect, test } from 'vitest'
import type { SessionContext } from '../session-context.ts'
import { statusAudience } from './status.ts'

const readers = [
  '5511900000001@s.whatsapp.net',
  '5511900000002@s.whatsapp.net',
  '5511900000003@s.whatsapp.net',
  '200000000000077@lid',
]

test.each<[string, proto.IMessage, string[], number, string[][]]>([
  [
    'a post',
    { conversation: 'x' },
    ['200000000000011@lid', '200000000000022@lid', '200000000000077@lid'],
    1,
    [['5511900000002@s.whatsapp.net', '5511900000003@s.whatsapp.net']],
  ],
  [
    'a reaction',
    { reactionMessage: { key: { participant: '5511900000001@s.whatsapp.net' } } },
    ['200000000000011@lid'],
    0,
    [],
  ],
])('the audience of %s', async (_, message, audience, dropped, asked) => {
  const lids = new Map([['5511900000001@s.whatsapp.net', '200000000000011@lid']])
  const questions: string[][] = []
  const reasons: string[] = []
  const context = {
    readers: { all: async () => readers },
    lids: { lidsOf: async (jids: string[]) => jids.map(jid => (jid.endsWith('@lid') ? jid : lids.get(jid))) },
    recipients: {
      lists: {
        ofMembers: async (_sock: WASocket, people: string[]) => {
          questions.push(people)
          lids.set('5511900000002@s.whatsapp.net', '200000000000022@lid')
        },
      },
    },
    callbacks: { onDropped: (reason: string) => void reasons.push(reason) },
  } as unknown as SessionContext
  const query = async () => ({ tag: 'iq', attrs: {} })
  const sock = { query } as unknown as WASocket
  expect(await statusAudience(context, sock, message, undefined)).toEqual({ people: audience, setting: 'contacts' })
  expect(questions).toEqual(asked)
  expect(reasons).toEqual(Array.from({ length: dropped }, () => 'status_reader_without_lid'))
})
