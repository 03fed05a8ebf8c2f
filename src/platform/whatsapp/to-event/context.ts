import { proto } from 'baileys'
import type {
  CalendarEvent,
  ChannelInvite,
  ContactCard,
  GroupInvite,
  MessageContext,
  Order,
  Referral,
} from '../../../domain/message-context.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import { unixSeconds, wholeNumber } from '../wire/numbers.ts'
import { contextInfoOf } from './quoted.ts'
import { readCard } from './contact-card.ts'

/** More than anyone mentions or shares by hand; the sender may list any number. */
const MAX_MENTIONS = 1_024
const MAX_CARDS = 100

/** What a message says besides its content. `wrapped` still has its envelopes. */
export function readMessageContext(
  wrapped: proto.IMessage,
  content: proto.IMessage,
  isMe: (jid: string) => boolean,
): MessageContext {
  const info = contextInfoOf(content)
  const mentions = (info?.mentionedJid ?? []).slice(0, MAX_MENTIONS).map(withoutDevice)
  return {
    mentions,
    mentions_me: mentions.some(isMe) || (info?.nonJidMentions ?? 0) > 0,
    forwarded: info?.isForwarded === true || (info?.forwardingScore ?? 0) > 0,
    view_once: isViewOnce(wrapped, content),
    ...lengthOf(content),
    ...present('contacts', contactsOf(content)),
    ...present('order', content.orderMessage && readOrder(content.orderMessage)),
    ...present('group_invite', content.groupInviteMessage && readInvite(content.groupInviteMessage)),
    ...present(
      'channel_invite',
      content.newsletterAdminInviteMessage && readChannelInvite(content.newsletterAdminInviteMessage),
    ),
    ...present('event', content.eventMessage && readCalendarEvent(content.eventMessage)),
    ...present('referral', info && readReferral(info)),
  }
}

const present = <Key extends keyof MessageContext, Value>(
  key: Key,
  value: Value | null | undefined,
): Partial<Record<Key, Value>> => (value ? ({ [key]: value } as Record<Key, Value>) : {})

const VIEW_ONCE = ['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension'] as const
const { MASK_LINKED_DEVICES } = proto.Message.PlaceholderMessage.PlaceholderType

/** Envelopes that the library opens may lie in each other. */
const MAX_ENVELOPES = 5

/** Also the placeholder of a message that only the phone may open. */
function isViewOnce(wrapped: proto.IMessage, content: proto.IMessage): boolean {
  if (content.placeholderMessage?.type === MASK_LINKED_DEVICES) return true
  const { imageMessage, videoMessage, audioMessage, extendedTextMessage } = content
  if ([imageMessage, videoMessage, audioMessage, extendedTextMessage].some(part => part?.viewOnce)) return true
  let envelope: proto.IMessage | undefined = wrapped
  for (let depth = 0; envelope && depth < MAX_ENVELOPES; depth++) {
    if (VIEW_ONCE.some(name => envelope?.[name])) return true
    envelope = Object.values(envelope).find(hasMessage)?.message
  }
  return false
}

const hasMessage = (part: unknown): part is { message: proto.IMessage } =>
  typeof part === 'object' && part !== null && 'message' in part && typeof part.message === 'object' && !!part.message

function lengthOf({ audioMessage: audio, videoMessage, ptvMessage }: proto.IMessage): Partial<MessageContext> {
  const seconds = wholeNumber((audio ?? videoMessage ?? ptvMessage)?.seconds)
  return { ...(audio && { voice: audio.ptt === true }), ...(seconds !== undefined && { seconds }) }
}

function contactsOf({ contactMessage, contactsArrayMessage }: proto.IMessage): ContactCard[] | undefined {
  const cards = contactMessage ? [contactMessage] : contactsArrayMessage?.contacts
  return cards?.slice(0, MAX_CARDS).map(readCard)
}

function readOrder({
  orderId,
  orderTitle,
  itemCount,
  totalAmount1000,
  totalCurrencyCode,
  token,
}: proto.Message.IOrderMessage): Order {
  const total = wholeNumber(totalAmount1000)
  return {
    id: orderId ?? '',
    title: orderTitle ?? '',
    item_count: wholeNumber(itemCount) ?? 0,
    ...(total !== undefined && { total_1000: total }),
    ...(totalCurrencyCode && { currency: totalCurrencyCode }),
    ...(token && { token }),
  }
}

function readChannelInvite({
  newsletterJid,
  newsletterName,
  inviteExpiration,
}: proto.Message.INewsletterAdminInviteMessage): ChannelInvite {
  const expires = unixSeconds(inviteExpiration)
  return {
    newsletter_jid: newsletterJid ?? '',
    name: newsletterName ?? '',
    ...(expires !== undefined && { expires_unix: expires }),
  }
}

function readInvite({
  groupJid,
  groupName,
  inviteCode,
  inviteExpiration,
}: proto.Message.IGroupInviteMessage): GroupInvite {
  const expires = unixSeconds(inviteExpiration)
  return {
    group_jid: groupJid ?? '',
    name: groupName ?? '',
    code: inviteCode ?? '',
    ...(expires !== undefined && { expires_unix: expires }),
  }
}

function readCalendarEvent(event: proto.Message.IEventMessage): CalendarEvent {
  const [starts, ends] = [unixSeconds(event.startTime), unixSeconds(event.endTime)]
  const place = event.location?.name || event.location?.address
  return {
    name: event.name ?? '',
    description: event.description ?? '',
    ...(starts !== undefined && { starts_unix: starts }),
    ...(ends !== undefined && { ends_unix: ends }),
    ...(place && { place }),
    ...(event.joinLink && { join_link: event.joinLink }),
    canceled: event.isCanceled === true,
  }
}

/** Present if the message came through an advertisement or a link that names its source. */
function readReferral({ externalAdReply: ad, entryPointConversionSource }: proto.IContextInfo): Referral | undefined {
  const isAd = ad && (ad.ctwaClid || ad.sourceId || ad.showAdAttribution)
  const fields = {
    source_type: isAd ? ad.sourceType : undefined,
    source_id: isAd ? ad.sourceId : undefined,
    source_url: isAd ? ad.sourceUrl : undefined,
    headline: isAd ? ad.title : undefined,
    click_id: isAd ? ad.ctwaClid : undefined,
    entry_point: entryPointConversionSource,
  }
  const known = Object.entries(fields).filter(([, value]) => value)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as Referral)
}
