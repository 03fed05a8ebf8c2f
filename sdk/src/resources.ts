import type { Answer, Body, Entry, Query } from './api.ts'

/** Requests and responses, with the names of openapi.json. */
export interface Page<Item> {
  data: Item[]
  /** Give it as `cursor` for the next page; null on the last. */
  next_cursor: string | null
}

export interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
}

export type Me = Answer<'get', '/v1/me'>
export type Terms = Answer<'get', '/v1/tos'>
export type UsageDay = Entry<'/v1/usage'>
export type ApiKey = Entry<'/v1/keys'>
export type NewApiKey = Body<'post', '/v1/keys'>
/** `key` is shown here and never again. */
export type CreatedApiKey = Answer<'post', '/v1/keys'>

export type LoggedRequest = Entry<'/v1/requests'>
export type LoggedRequestQuery = Query<'/v1/requests'>

export type WebhookUrls = Body<'put', '/v1/webhooks/{id}'>
export type NewWebhook = Body<'post', '/v1/webhooks'>
export type Webhook = Answer<'get', '/v1/webhooks/{id}'>
/** `secret` is shown here and never again. */
export type CreatedWebhook = Answer<'post', '/v1/webhooks'>
export type WebhookTest = NonNullable<Body<'post', '/v1/webhooks/{id}/test'>>
export type WebhookTestResult = Answer<'post', '/v1/webhooks/{id}/test'>['data'][number]
export type SecretRotation = NonNullable<Body<'post', '/v1/webhooks/{id}/rotate-secret'>>
export type NewReplay = NonNullable<Body<'post', '/v1/webhooks/{id}/replay'>>
export type Replay = Answer<'get', '/v1/webhooks/{id}/replay/{replay_id}'>
export type NewEndpoint = Body<'post', '/v1/endpoints'>
export type EndpointChange = Body<'patch', '/v1/endpoints/{id}'>
export type Endpoint = Answer<'get', '/v1/endpoints/{id}'>
/** `secret` is shown here and never again. */
export type CreatedEndpoint = Answer<'post', '/v1/endpoints'>
export type Delivery = Answer<'get', '/v1/deliveries/{id}'>
export type DeliveryQuery = Query<'/v1/deliveries'>
export type DeliveryFilter = Query<'/v1/deliveries/events'>

export type Session = Answer<'get', '/v1/sessions/{id}'>
export type SessionChange = Body<'patch', '/v1/sessions/{id}'>
export type NewSandboxSession = Body<'post', '/v1/sessions'>
export type Profile = Answer<'get', '/v1/sessions/{id}/profile'>
export type ProfilePicture = Answer<'put', '/v1/sessions/{id}/profile/picture'>
export type CallLink = Answer<'post', '/v1/sessions/{id}/calls/links'>
export type Viewer = Entry<'/v1/messages/{id}/viewers'>
export type Product = Entry<'/v1/sessions/{id}/catalog'>
export type ProductCollectionList = Answer<'get', '/v1/sessions/{id}/catalog/collections'>
export type Order = Answer<'post', '/v1/sessions/{id}/orders'>
export type Contact = Answer<'get', '/v1/sessions/{id}/contacts/{jid}'>
/** A chat of a number, without content. */
export type Chat = Answer<'get', '/v1/sessions/{id}/chats/{jid}'>
/** The author of a message, in a group whose message the gateway has not seen. */
export interface StarQuery {
  participant?: string
}
export type ChatChange = Body<'patch', '/v1/sessions/{id}/chats/{jid}'>
export type ContactPicture = Answer<'get', '/v1/sessions/{id}/contacts/{jid}/picture'>
/** The outcomes of a check of phone numbers, and the budget that is left. */
export type CheckedContactList = Answer<'post', '/v1/sessions/{id}/contacts/check'>
/** A person whom a number has blocked. */
export type BlockedContact = Entry<'/v1/sessions/{id}/blocks'>
/** An entry of the list of groups. */
export type Group = Entry<'/v1/sessions/{id}/groups'>
export type GroupDetail = Answer<'get', '/v1/sessions/{id}/groups/{jid}'>
export type NewGroup = Body<'post', '/v1/sessions/{id}/groups'>
export type NewCommunity = Body<'post', '/v1/sessions/{id}/communities'>
export type LinkedGroup = Entry<'/v1/sessions/{id}/communities/{jid}/groups'>
export type GroupChange = Body<'patch', '/v1/sessions/{id}/groups/{jid}'>
export type GroupMembersChange = Body<'post', '/v1/sessions/{id}/groups/{jid}/members'>
/** An entry of the list of channels. */
export type Channel = Entry<'/v1/sessions/{id}/newsletters'>
export type NewChannel = Body<'post', '/v1/sessions/{id}/newsletters'>
export type ChannelChange = Body<'patch', '/v1/sessions/{id}/newsletters/{nl}'>
export type HistoryRequest = Body<'post', '/v1/sessions/{id}/chats/{jid}/history'>
export type PictureQuery = Query<'/v1/sessions/{id}/groups/{jid}/picture'>
export type NewPicture = Body<'put', '/v1/sessions/{id}/groups/{jid}/picture'>
export type GroupRequestsAnswer = Body<'post', '/v1/sessions/{id}/groups/{jid}/requests'>
export type Pairing = Answer<'get', '/v1/pairings/{id}'>
export type NewPairing = Body<'post', '/v1/pairings'>

export type SandboxIncoming = Body<'post', '/sandbox/sessions/{id}/incoming'>
export type SandboxAction = Body<'post', '/sandbox/sessions/{id}/actions'>
export type SandboxMessageQuery = Query<'/sandbox/sessions/{id}/messages'>

/** An entry of the list of messages. */
export type Message = Entry<'/v1/messages'>
export type MessageDetail = Answer<'get', '/v1/messages/{id}'>
export type MessageQuery = Query<'/v1/messages'>
/** `request_id` is the Idempotency-Key; events carry it. */
export type QueuedMessage = Answer<'post', '/v1/messages'>

type Outgoing = Body<'post', '/v1/messages'>
type Envelope = Pick<
  Outgoing,
  | 'session_id'
  | 'to'
  | 'quoted_message_id'
  | 'quoted_participant'
  | 'quoted_text'
  | 'typing_ms'
  | 'priority'
  | 'send_at'
>
/** Makes these fields required. */
type With<Present extends keyof Outgoing, Optional extends keyof Outgoing = never> = Required<Pick<Outgoing, Present>> &
  Pick<Outgoing, Optional>

type OfMedia = 'text' | 'mentions' | 'filename' | 'view_once' | 'album_message_id' | 'forwarded'

/** A message has exactly one kind of content. */
export type OutgoingMessage = Envelope &
  (
    | With<'text', 'mentions' | 'link_preview' | 'forwarded'>
    | With<'media_type' | 'media_url', OfMedia>
    | With<'media_type' | 'media_id', OfMedia>
    /** An empty text removes the reaction. */
    | With<'reacted_message_id' | 'text', 'reacted_participant'>
    | With<'location', 'forwarded'>
    | With<'contacts', 'forwarded'>
    | With<'poll', 'forwarded'>
    | With<'text' | 'buttons', 'footer'>
    | With<'text' | 'carousel', 'footer'>
    | With<'text' | 'list', 'footer'>
    | With<'event'>
    | With<'event_change'>
    | With<'event_answer'>
    | With<'album'>
    | With<'forward_message_id'>
    | With<'pin'>
    | With<'keep'>
  )
