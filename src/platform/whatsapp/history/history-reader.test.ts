import { proto } from 'baileys'
import { expect, it } from 'vitest'
import { HistoryReader, type LearnedHistory } from './history-reader.ts'

const CHUNK_BYTES = 1_000
const syncType = proto.HistorySync.HistorySyncType.RECENT

function read(history: Omit<proto.IHistorySync, 'syncType'>): LearnedHistory {
  const bytes = proto.HistorySync.encode({ ...history, syncType }).finish()
  const reader = new HistoryReader()
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) reader.push(bytes.subarray(from, from + CHUNK_BYTES))
  return reader.end()
}

const chat = (n: number, more: Partial<proto.IConversation> = {}): proto.IConversation => ({
  id: `${2_000_000 + n}@lid`,
  ...more,
})

it('a token counts only with a time and up to 256 bytes', () => {
  const token = (bytes: number, at = 1): Partial<proto.IConversation> => ({
    tcToken: new Uint8Array(bytes).fill(7),
    tcTokenTimestamp: at,
  })
  const conversations = [chat(1, token(256)), chat(2, token(257)), chat(3, token(0)), chat(4, token(20, 0))]
  expect(read({ conversations }).tokens.map(({ person }) => person)).toEqual(['2000001@lid'])
})

it('a history of any size teaches at most 100,000 names, tokens and expirations', () => {
  const one = proto.HistorySync.encode({
    syncType,
    conversations: [
      chat(1, {
        pnJid: '4915100000001@s.whatsapp.net',
        ephemeralExpiration: 86_400,
        tcToken: Uint8Array.of(1),
        tcTokenTimestamp: 1,
      }),
    ],
  }).finish()
  const reader = new HistoryReader()
  // Messages of this format that follow each other are one.
  for (let n = 0; n < 100_010; n++) reader.push(one)
  const { names, tokens, expirations } = reader.end()
  expect([names.length, tokens.length, expirations.length]).toEqual([100_000, 100_000, 100_000])
})

it('names that are no names of people teach nothing', () => {
  const phoneNumberToLidMappings = [
    { pnJid: 'x@s.whatsapp.net', lidJid: '2000001@lid' },
    { pnJid: '4915100000001@s.whatsapp.net', lidJid: '4915100000001@g.us' },
    { pnJid: '4915100000002@s.whatsapp.net', lidJid: '2000002@lid' },
  ]
  expect(read({ phoneNumberToLidMappings }).names).toEqual([{ lid: '2000002@lid', pn: '4915100000002@s.whatsapp.net' }])
})
