import type { EVENT_ANSWERS } from './message.ts'

/**
 * What a received message says besides its content. Only endpoints that include `context` receive these fields; they
 * stand beside those of the event `message`.
 */
export interface MessageContext {
  /** The people whom the text mentions. */
  mentions: string[]
  /** Whether it mentions the number itself, or everyone in the group. */
  mentions_me: boolean
  forwarded: boolean
  view_once: boolean
  /** Whether audio is a voice note; the length of audio and video. */
  voice?: boolean
  seconds?: number
  contacts?: ContactCard[]
  order?: Order
  group_invite?: GroupInvite
  channel_invite?: ChannelInvite
  event_answer?: EventAnswer
  event?: CalendarEvent
  referral?: Referral
}

export interface ContactCard {
  name: string
  phones: string[]
}

export interface Order {
  id: string
  title: string
  item_count: number
  /** In thousandths of the currency. */
  total_1000?: number
  currency?: string
  /** Opens the order. */
  token?: string
}

export interface GroupInvite {
  group_jid: string
  name: string
  code: string
  expires_unix?: number
}

/** The answer of a person to an event. */
export interface EventAnswer {
  event_message_id: string
  answer: (typeof EVENT_ANSWERS)[number]
  /** How many people come with the person. */
  guests: number
}

/** An invitation to manage a channel. */
export interface ChannelInvite {
  newsletter_jid: string
  name: string
  expires_unix?: number
}

export interface CalendarEvent {
  name: string
  description: string
  starts_unix?: number
  ends_unix?: number
  place?: string
  join_link?: string
  canceled: boolean
}

/** The advertisement through which the person came to the chat. */
export interface Referral {
  source_type?: string
  source_id?: string
  source_url?: string
  headline?: string
  click_id?: string
  entry_point?: string
}
