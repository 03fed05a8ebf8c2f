import { CONTENTS } from '@postern/simulator/grammar/web-client'
import type { Phone } from '@postern/simulator/phone/phone'
import { proto } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { IncomingType } from '../../src/domain/event.ts'
import { fieldsOf } from '../../src/platform/whatsapp/wire/proto-fields.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** Every field that a message of WhatsApp Web can have, and what becomes of it. */

let stack: Stack
let number: StackNumber
let ana: Phone

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link('999550000002')
  ana = stack.simulator.phone('5511945000002')
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const FIELDS = CONTENTS.trim()
  .split('\n')
  .map(line => {
    const [field, name = ''] = line.split(' ')
    return [Number(field), name] as const
  })

type Published = readonly [type: IncomingType, text: string, body: Uint8Array | string]
type Dropped = readonly [reason: string, body: Uint8Array]

const text = (words: string): proto.IMessage => ({ conversation: words })
/** The bytes of the first field, without its tag and length. */
function bodyOf(message: proto.IMessage): Uint8Array {
  const bytes = proto.Message.encode(message).finish()
  for (const { from, to } of fieldsOf(bytes, 0, bytes.length)) return bytes.subarray(from, to)
  throw new Error('the message has no field')
}
const wrapped = (message: proto.IMessage): Uint8Array => proto.Message.FutureProofMessage.encode({ message }).finish()
const fields = (...texts: [field: number, content: string | Uint8Array][]): Uint8Array =>
  Buffer.concat(
    texts.flatMap(([field, content]) => [Buffer.of((field << 3) | 2, content.length), Buffer.from(content as string)]),
  )

const poll = { name: 'Lunch?', options: [{ optionName: 'yes' }, { optionName: 'no' }], selectableOptionsCount: 1 }
const pollBody = proto.Message.PollCreationMessage.encode(poll).finish()
const place = { degreesLatitude: 1, degreesLongitude: 2 }
const result = { name: 'Lunch?', pollVotes: [{ optionName: 'yes', optionVoteCount: 3 }] }
const resultBody = proto.Message.PollResultSnapshotMessage.encode(result).finish()
const card = { displayName: 'Bia', vcard: 'BEGIN:VCARD\nFN:Bia\nitem1.TEL;waid=551199:+55 11 99\nEND:VCARD' }
const target = { id: '3EB0UNKNOWN', remoteJid: '5511945000002@s.whatsapp.net', fromMe: false }

const PUBLISHED: Record<string, Published> = {
  conversation: ['text', 'hello', 'hello'],
  imageMessage: ['image', 'a tree', bodyOf({ imageMessage: { caption: 'a tree' } })],
  contactMessage: ['other', 'Bia\n+55 11 99', bodyOf({ contactMessage: card })],
  locationMessage: ['location', '', bodyOf({ locationMessage: place })],
  extendedTextMessage: ['text', 'hello', bodyOf({ extendedTextMessage: { text: 'hello' } })],
  documentMessage: ['document', 'the plan', bodyOf({ documentMessage: { caption: 'the plan' } })],
  audioMessage: ['audio', '', bodyOf({ audioMessage: {} })],
  videoMessage: ['video', 'a river', bodyOf({ videoMessage: { caption: 'a river' } })],
  call: ['other', '', bodyOf({ call: {} })],
  chat: ['other', 'The club', bodyOf({ chat: { displayName: 'The club' } })],
  contactsArrayMessage: [
    'other',
    'Bia\n+55 11 99\nCarl',
    bodyOf({ contactsArrayMessage: { displayName: '2 contacts', contacts: [card, { displayName: 'Carl' }] } }),
  ],
  highlyStructuredMessage: ['other', '12\nMay', bodyOf({ highlyStructuredMessage: { params: ['12', 'May'] } })],
  sendPaymentMessage: ['other', 'for lunch', bodyOf({ sendPaymentMessage: { noteMessage: text('for lunch') } })],
  liveLocationMessage: ['location', 'on my way', bodyOf({ liveLocationMessage: { ...place, caption: 'on my way' } })],
  requestPaymentMessage: [
    'other',
    'BRL 12.50\nfor lunch',
    bodyOf({
      requestPaymentMessage: { amount1000: 12_500, currencyCodeIso4217: 'BRL', noteMessage: text('for lunch') },
    }),
  ],
  declinePaymentRequestMessage: ['other', '', bodyOf({ declinePaymentRequestMessage: {} })],
  cancelPaymentRequestMessage: ['other', '', bodyOf({ cancelPaymentRequestMessage: {} })],
  templateMessage: [
    'other',
    'Your order has left',
    bodyOf({ templateMessage: { hydratedFourRowTemplate: { hydratedContentText: 'Your order has left' } } }),
  ],
  stickerMessage: ['sticker', '', bodyOf({ stickerMessage: {} })],
  groupInviteMessage: [
    'other',
    'The club\nCome in',
    bodyOf({ groupInviteMessage: { groupName: 'The club', caption: 'Come in' } }),
  ],
  templateButtonReplyMessage: [
    'button_response',
    'Yes',
    bodyOf({ templateButtonReplyMessage: { selectedId: 'y', selectedDisplayText: 'Yes' } }),
  ],
  productMessage: [
    'other',
    'Lamp\nWarm light\nBRL 90.00\nStill there?',
    bodyOf({
      productMessage: {
        product: { title: 'Lamp', description: 'Warm light', currencyCode: 'BRL', priceAmount1000: 90_000 },
        body: 'Still there?',
      },
    }),
  ],
  deviceSentMessage: ['text', 'hello', bodyOf({ deviceSentMessage: { message: text('hello') } })],
  listMessage: ['other', 'Choose', bodyOf({ listMessage: { title: 'Menu', description: 'Choose' } })],
  orderMessage: [
    'other',
    'Order 7\n2 lamps please\nBRL 180.00',
    bodyOf({
      orderMessage: {
        orderTitle: 'Order 7',
        message: '2 lamps please',
        totalAmount1000: 180_000,
        totalCurrencyCode: 'BRL',
      },
    }),
  ],
  listResponseMessage: ['button_response', 'Tea', bodyOf({ listResponseMessage: { title: 'Tea' } })],
  invoiceMessage: ['other', 'for May', bodyOf({ invoiceMessage: { note: 'for May', token: 't' } })],
  buttonsMessage: ['other', 'Choose', bodyOf({ buttonsMessage: { contentText: 'Choose' } })],
  buttonsResponseMessage: [
    'button_response',
    'Tea',
    bodyOf({ buttonsResponseMessage: { selectedButtonId: 't', selectedDisplayText: 'Tea' } }),
  ],
  paymentInviteMessage: ['other', '', bodyOf({ paymentInviteMessage: {} })],
  interactiveMessage: [
    'other',
    'Lamp\nChair',
    bodyOf({
      interactiveMessage: { carouselMessage: { cards: [{ body: { text: 'Lamp' } }, { body: { text: 'Chair' } }] } },
    }),
  ],
  reactionMessage: ['reaction', '👍', bodyOf({ reactionMessage: { key: target, text: '👍' } })],
  interactiveResponseMessage: [
    'button_response',
    'Tea',
    bodyOf({ interactiveResponseMessage: { body: { text: 'Tea' } } }),
  ],
  pollCreationMessage: ['poll', 'Lunch?', pollBody],
  pollCreationMessageV2: ['poll', 'Lunch?', pollBody],
  pollCreationMessageV3: ['poll', 'Lunch?', pollBody],
  pollCreationMessageV4: ['poll', 'Lunch?', wrapped({ pollCreationMessage: poll })],
  pollCreationMessageV5: ['poll', 'Lunch?', pollBody],
  pollCreationMessageV6: ['poll', 'Lunch?', pollBody],
  requestPhoneNumberMessage: ['other', '', bodyOf({ requestPhoneNumberMessage: {} })],
  scheduledCallCreationMessage: [
    'other',
    'Sync\n2026-05-01T09:00:00.000Z',
    bodyOf({ scheduledCallCreationMessage: { title: 'Sync', scheduledTimestampMs: Date.UTC(2026, 4, 1, 9) } }),
  ],
  scheduledCallEditMessage: ['other', '', bodyOf({ scheduledCallEditMessage: {} })],
  ptvMessage: ['video', '', bodyOf({ ptvMessage: {} })],
  callLogMesssage: ['other', '', bodyOf({ callLogMesssage: { isVideo: true } })],
  messageHistoryBundle: ['other', '', bodyOf({ messageHistoryBundle: {} })],
  bcallMessage: ['other', 'Listen', bodyOf({ bcallMessage: { caption: 'Listen' } })],
  lottieStickerMessage: ['sticker', '', wrapped({ stickerMessage: {} })],
  eventMessage: [
    'other',
    'Party\nBring cake\nThe hall\n2026-05-01T09:00:00.000Z\nhttps://call.example/1',
    bodyOf({
      eventMessage: {
        name: 'Party',
        description: 'Bring cake',
        location: { ...place, name: 'The hall' },
        startTime: Date.UTC(2026, 4, 1, 9) / 1000,
        joinLink: 'https://call.example/1',
      },
    }),
  ],
  commentMessage: [
    'text',
    'I agree',
    bodyOf({ commentMessage: { message: text('I agree'), targetMessageKey: target } }),
  ],
  newsletterAdminInviteMessage: [
    'other',
    'News\nHelp us',
    bodyOf({ newsletterAdminInviteMessage: { newsletterName: 'News', caption: 'Help us' } }),
  ],
  newsletterFollowerInviteMessageV2: [
    'other',
    'News\nFollow us',
    bodyOf({ newsletterFollowerInviteMessageV2: { newsletterName: 'News', caption: 'Follow us' } }),
  ],
  placeholderMessage: ['other', '', bodyOf({ placeholderMessage: { type: 0 } })],
  eventCoverImage: ['other', 'the hall', wrapped({ imageMessage: { caption: 'the hall' } })],
  stickerPackMessage: ['other', 'Cats\nFor you', bodyOf({ stickerPackMessage: { name: 'Cats', caption: 'For you' } })],
  pollResultSnapshotMessage: ['other', 'Lunch?\nyes: 3', resultBody],
  pollResultSnapshotMessageV3: ['other', 'Lunch?\nyes: 3', resultBody],
  pollCreationOptionImageMessage: ['other', 'pasta', wrapped({ imageMessage: { caption: 'pasta' } })],
  richResponseMessage: [
    'other',
    'Like this:\nlet a = 1\nName | Price\nLamp | 90',
    bodyOf({
      richResponseMessage: {
        submessages: [
          { messageText: 'Like this:' },
          { codeMetadata: { codeBlocks: [{ codeContent: 'let ' }, { codeContent: 'a = 1' }] } },
          { tableMetadata: { rows: [{ items: ['Name', 'Price'] }, { items: ['Lamp', '90'] }] } },
        ],
      },
    }),
  ],
  statusNotificationMessage: ['other', '', bodyOf({ statusNotificationMessage: {} })],
  messageHistoryNotice: ['other', '', bodyOf({ messageHistoryNotice: {} })],
  statusQuestionAnswerMessage: ['other', 'Blue', bodyOf({ statusQuestionAnswerMessage: { text: 'Blue' } })],
  questionResponseMessage: ['other', 'Blue', bodyOf({ questionResponseMessage: { text: 'Blue' } })],
  statusQuotedMessage: ['other', 'Blue', bodyOf({ statusQuotedMessage: { type: 1, text: 'Blue' } })],
  statusStickerInteractionMessage: ['other', '', bodyOf({ statusStickerInteractionMessage: {} })],
  conditionalRevealMessage: ['other', '', fields([4, 'k'])],
  pollAddOptionMessage: ['other', 'soup', fields([2, fields([1, 'soup'])])],
  eventInviteMessage: ['other', 'Party\nCome', fields([2, 'id'], [3, 'Party'], [6, 'Come'])],
  paymentReminderMessage: ['other', 'rent', fields([1, 'id'], [3, 'rent'])],
  splitPaymentMessage: ['other', 'dinner', fields([1, 'id'], [3, 'dinner'])],
  splitPaymentUpdateMessage: ['other', '', fields([1, 'id'])],
  musicMessage: ['other', 'Song\nBand', fields([1, fields([3, 'Band'], [4, 'Song'])])],
}

/** Envelopes: what they contain is published. */
for (const name of [
  'viewOnceMessage',
  'ephemeralMessage',
  'documentWithCaptionMessage',
  'viewOnceMessageV2',
  'editedMessage',
  'viewOnceMessageV2Extension',
  'groupMentionedMessage',
  'associatedChildMessage',
  'statusAddYours',
  'groupStatusMessage',
  'botTaskMessage',
  'questionMessage',
  'groupStatusMessageV2',
  'botForwardedMessage',
  'questionReplyMessage',
  'newsletterAdminProfileMessage',
  'spoilerMessage',
  'newsletterAdminProfileStatusMessage',
  'botPlatformRegistrationSuccessMessage',
])
  PUBLISHED[name] = ['text', 'the words inside', wrapped(text('the words inside'))]

/** What is for apps, refers to an unknown message, or announces content that comes separately. */
const DROPPED: Record<string, Dropped> = {
  senderKeyDistributionMessage: ['sender_key', bodyOf({ senderKeyDistributionMessage: { groupId: 'g' } })],
  protocolMessage: ['protocol_ephemeral_setting', bodyOf({ protocolMessage: { type: 3 } })],
  fastRatchetKeySenderKeyDistributionMessage: [
    'not_shown_fastRatchetKeySenderKeyDistributionMessage',
    bodyOf({ fastRatchetKeySenderKeyDistributionMessage: { groupId: 'g' } }),
  ],
  messageContextInfo: ['empty_message', fields([3, 'x'])],
  stickerSyncRmrMessage: ['not_shown_stickerSyncRmrMessage', bodyOf({ stickerSyncRmrMessage: {} })],
  pollUpdateMessage: ['vote_on_nothing', bodyOf({ pollUpdateMessage: {} })],
  keepInChatMessage: ['not_shown_keepInChatMessage', bodyOf({ keepInChatMessage: { key: target } })],
  encReactionMessage: ['sealed_about_unknown', bodyOf({ encReactionMessage: { targetMessageKey: target } })],
  pinInChatMessage: ['not_shown_pinInChatMessage', bodyOf({ pinInChatMessage: { key: target } })],
  botInvokeMessage: ['not_shown_botInvokeMessage', wrapped(text('hello bot'))],
  encCommentMessage: ['sealed_about_unknown', bodyOf({ encCommentMessage: { targetMessageKey: target } })],
  encEventResponseMessage: ['not_shown_encEventResponseMessage', bodyOf({ encEventResponseMessage: {} })],
  secretEncryptedMessage: ['sealed_about_unknown', bodyOf({ secretEncryptedMessage: { targetMessageKey: target } })],
  albumMessage: ['not_shown_albumMessage', bodyOf({ albumMessage: { expectedImageCount: 2 } })],
  statusMentionMessage: ['not_shown_statusMentionMessage', wrapped({ protocolMessage: { type: 25 } })],
  groupStatusMentionMessage: ['not_shown_groupStatusMentionMessage', wrapped({ protocolMessage: { type: 25 } })],
  limitSharingMessage: ['not_shown_limitSharingMessage', wrapped({ protocolMessage: { type: 27 } })],
  groupRootKeyShare: ['not_shown_newer', fields([1, 'k'])],
  rootSecretDistributeMessage: ['not_shown_newer', fields([1, 'c'])],
  statusLinkPreviewMetadata: ['not_shown_newer', fields([2, 'c'])],
}

const send = (field: number, body: Uint8Array | string) =>
  ana.sendTo(number.jid, { type: 'newer', field, body: Buffer.from(body as string) })

describe('Each content of the newest app', () => {
  test('is published or has a reason why not', () => {
    const names = FIELDS.map(([, name]) => name)
    expect(Object.keys({ ...PUBLISHED, ...DROPPED }).sort()).toEqual([...names].sort())
    expect(Object.keys(PUBLISHED).filter(name => name in DROPPED)).toEqual([])
  })

  test.each(FIELDS.filter(([, name]) => name in PUBLISHED))(
    'is published with its words: field %i, %s',
    async (field, name) => {
      const [type, words, body] = PUBLISHED[name]!
      const { id } = await send(field, body)
      const event = await number.next('message', ({ message_id: eventId }) => eventId === id)
      expect(event).toMatchObject({ type, text: words, sender_jid: ana.jid })
    },
  )

  test.each(FIELDS.filter(([, name]) => name in DROPPED))(
    'is counted under its reason if no person is to read it: field %i, %s',
    async (field, name) => {
      const [reason, body] = DROPPED[name]!
      const before = await number.dropped(reason)
      await send(field, body)
      await number.until(async () => (await number.dropped(reason)) === before + 1)
      expect(number.events.filter(({ kind }) => kind === 'message')).toEqual([])
    },
  )

  test('is a reply if it comments on a message', async () => {
    const { id } = await send(77, PUBLISHED.commentMessage![2])
    expect(await number.next('message', ({ message_id: eventId }) => eventId === id)).toMatchObject({
      type: 'text',
      quoted_message_id: target.id,
    })
  })
})
