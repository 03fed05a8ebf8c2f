import { normalizeMessageContent, type proto } from 'baileys'
import { expect, test } from 'vitest'
import { readMessageContext } from './context.ts'

const ME = '999100000001@s.whatsapp.net'
const ANA = '999200000001@s.whatsapp.net'

const read = (message: proto.IMessage) =>
  readMessageContext(message, normalizeMessageContent(message) ?? {}, jid => jid === ME)

const PLAIN = { mentions: [], mentions_me: false, forwarded: false, view_once: false }

test('a plain text has no context', () => {
  expect(read({ conversation: 'hello' })).toEqual(PLAIN)
})

test('mentions are named without their device, and the number knows its own', () => {
  const contextInfo = { mentionedJid: ['999200000001:7@s.whatsapp.net', ME] }
  expect(read({ extendedTextMessage: { text: '@…', contextInfo } })).toEqual({
    ...PLAIN,
    mentions: [ANA, ME],
    mentions_me: true,
  })
})

test('a mention of everyone mentions the number', () => {
  const contextInfo = { nonJidMentions: 1 }
  expect(read({ extendedTextMessage: { text: '@all', contextInfo } })).toEqual({ ...PLAIN, mentions_me: true })
})

test('no more than 1,024 mentions are read', () => {
  const contextInfo = { mentionedJid: Array.from({ length: 5_000 }, () => ANA) }
  expect(read({ extendedTextMessage: { text: '', contextInfo } }).mentions).toHaveLength(1_024)
})

test('a forwarded message is one', () => {
  const contextInfo = { isForwarded: true, forwardingScore: 3 }
  expect(read({ extendedTextMessage: { text: 'news', contextInfo } })).toEqual({ ...PLAIN, forwarded: true })
})

test.each<[string, proto.IMessage]>([
  ['in an envelope', { viewOnceMessage: { message: { imageMessage: {} } } }],
  ['in the second envelope', { viewOnceMessageV2: { message: { imageMessage: {} } } }],
  ['in two envelopes', { ephemeralMessage: { message: { viewOnceMessageV2: { message: { imageMessage: {} } } } } }],
  ['as a voice note', { viewOnceMessageV2Extension: { message: { audioMessage: { ptt: true } } } }],
  ['as a field of its file', { imageMessage: { viewOnce: true } }],
  ['as the placeholder on linked devices', { placeholderMessage: { type: 0 } }],
])('a view-once message is recognized %s', (_name, message) => {
  expect(read(message).view_once).toBe(true)
})

test('audio is a voice note or not, and has a length', () => {
  expect(read({ audioMessage: { ptt: true, seconds: 12 } })).toEqual({ ...PLAIN, voice: true, seconds: 12 })
  expect(read({ audioMessage: { seconds: 200 } })).toEqual({ ...PLAIN, voice: false, seconds: 200 })
  expect(read({ videoMessage: { seconds: 9 } })).toEqual({ ...PLAIN, seconds: 9 })
})

test('a contact card has its name and its numbers', () => {
  const vcard =
    'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Lima\r\nitem1.TEL;waid=999200000001:+999 200 000 \r\n 001\r\nEND:VCARD'
  expect(read({ contactMessage: { vcard } }).contacts).toEqual([{ name: 'Ana Lima', phones: ['+999 200 000 001'] }])
})

test('of a card at most 64 KiB and 20 numbers are read', () => {
  const lines = Array.from({ length: 50 }, (_, i) => `TEL:+9992000000${i}`)
  const vcard = ['BEGIN:VCARD', ...lines, `NOTE:${'x'.repeat(65_536)}`, 'FN:too late'].join('\n')
  const [card] = read({ contactsArrayMessage: { contacts: [{ vcard }] } }).contacts ?? []
  expect(card?.name).toBe('')
  expect(card?.phones).toHaveLength(20)
})

test('an order, an invitation to a group and a calendar event have their facts', () => {
  expect(
    read({
      orderMessage: {
        orderId: '77',
        orderTitle: 'Cake',
        itemCount: 2,
        totalAmount1000: 12_500,
        totalCurrencyCode: 'BRL',
      },
    }).order,
  ).toEqual({ id: '77', title: 'Cake', item_count: 2, total_1000: 12_500, currency: 'BRL' })
  expect(
    read({
      groupInviteMessage: {
        groupJid: '1@g.us',
        groupName: 'Choir',
        inviteCode: 'abc',
        inviteExpiration: 1_800_000_000,
      },
    }).group_invite,
  ).toEqual({ group_jid: '1@g.us', name: 'Choir', code: 'abc', expires_unix: 1_800_000_000 })
  expect(
    read({ eventMessage: { name: 'Concert', startTime: 1_800_000_000, location: { name: 'Hall' }, isCanceled: true } })
      .event,
  ).toEqual({ name: 'Concert', description: '', starts_unix: 1_800_000_000, place: 'Hall', canceled: true })
})

test('a message that came through an advertisement names it', () => {
  const externalAdReply = {
    title: 'Shoes',
    sourceType: 'ad',
    sourceId: '123',
    sourceUrl: 'https://ad.example/1',
    ctwaClid: 'click',
  }
  const contextInfo = { externalAdReply, entryPointConversionSource: 'ctwa_ad' }
  expect(read({ extendedTextMessage: { text: 'hi', contextInfo } }).referral).toEqual({
    source_type: 'ad',
    source_id: '123',
    source_url: 'https://ad.example/1',
    headline: 'Shoes',
    click_id: 'click',
    entry_point: 'ctwa_ad',
  })
})

test('the preview of a link is no advertisement', () => {
  const contextInfo = { externalAdReply: { title: 'A page', sourceUrl: 'https://page.example' } }
  expect(read({ extendedTextMessage: { text: 'hi', contextInfo } }).referral).toBeUndefined()
})
