import { isKnownName } from './known-names.ts'

/**
 * This file lists every value that a recording may show: words that the protocol defines, in attributes that hold such
 * words. A recording shows any other value by its kind and length only.
 */

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean))

/** Attributes whose value is a word of the protocol. A name, a subject or a text that people choose is never in one. */
const WORD_ATTRIBUTES = listed(`
  action addressing_mode category class context decrypt-fail device_fanout edit hosted is_hidden kind last media
  mediatype mode native_flow_name op order passive platform polltype privacy protocol reason refresh_lid
  return_snapshot stage state status_setting type web xmlns force_manual_refresh from_me
`)

/** Attributes that hold such a word only in these elements. */
const WORDS_IN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['name', listed('category collection native_flow platform')],
  ['text', listed('error')],
  ['value', listed('category')],
])

const WORDS = listed(`
  account_locked account_sync active add admin album all announcement appdata append audio audio_chat author available
  bad-request background biz bot business call chat chatstate client close common_group composing conflict contact
  contact_array contact_blacklist contacts critical critical_block critical_unblock_low decline delete delivery demote
  denied device device_removed devices direct_connection document encrypt enabled error event expired false feature
  fetch forbidden full gif get global group group_bot groups hide hist_sync history hosted http identity image inactive
  incoming initial interactive internal-server-error invalid invalid_adv_status invite invis item-not-found jid jpeg
  lid lid_migration_state link_code_companion_reg list live_location livelocation location locked md media media_notify
  medianotify mediaretry member member_add mention message messages messenger mixed modify mms mobile msg native_flow
  newsletter none not-acceptable not-allowed not-authorized notification off offline offline_batch on online outgoing
  paused passkey_prologue_request crsc_continuation peer peer_msg picture pkmsg played played-self plain pn poll
  poll_update preaccept preview primary_hello primary_identity_key_change companion_finish companion_hello
  companion_reg_refresh refresh_code presence privacy privacy_token promote psa ptt ptv quality_control query
  quick_reply rate-overlimit reaction read read-self receipt recording regular regular_high regular_low reject relay
  remove replaced resource-limit result retry revoke sender server server-error server_sync service-unavailable set
  skmsg status sticker subscribe superadmin system text timeout true trusted_contact tokens unavailable
  unknown_companion unlink unsubscribe update url user user_initiated video view_once vcard w:chat web whitelist
  abt android iphone smba smbi calladd defense groupadd last profile readreceipts encrypt:identity fb:thrift_iq fbid:devices tos urn:xmpp:ping urn:xmpp:whatsapp:account urn:xmpp:whatsapp:dirty
  urn:xmpp:whatsapp:push passive usync w w:auth:backup:token w:biz w:biz:directory w:comms:chat w:g2 w:gp2 w:m w:mex w:p
  w:profile:picture w:push w:stats w:sync:app:state w:web blocklist privatestats
`)

/** Attributes that hold a small number: a code, a count, a version of the protocol, the number of a device. */
const NUMBER_ATTRIBUTES = listed(`
  appdata call code count device duration edit error index key-index limit max_count message notification offline
  protocol reason receipt recommended_version retry size v version
`)
const NUMBERS_IN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['id', listed('device')],
  ['value', listed('count')],
])
const SMALL_NUMBER = /^\d{1,4}$/

/** A duration in seconds may have more digits. */
const DURATION_ATTRIBUTES = listed('expire expiration')
const DURATION = /^\d{1,7}$/

const TIME_ATTRIBUTES = listed('t ts s_t p_t creation timestamp refresh last_seen privacy_mode_ts')
const DIGITS = /^\d+$/

const ID_ATTRIBUTES = listed('id sid call-id call_id message_id msg_id server_id stanza_id origin_id target_id')

/** The shape of the protocol's own names. A recording hides a name of another shape. */
const NAME = /^(?!(?:\D*\d){3})[a-z][a-z0-9_:.-]{0,39}$/

/** The names in the tables above belong to the protocol, too. */
const TABLES = [WORD_ATTRIBUTES, WORDS, NUMBER_ATTRIBUTES, DURATION_ATTRIBUTES, TIME_ATTRIBUTES, ID_ATTRIBUTES]

export const isName = (word: string): boolean =>
  NAME.test(word) && (isKnownName(word) || TABLES.some(table => table.has(word)))

export const isTime = (attribute: string, value: string): boolean =>
  TIME_ATTRIBUTES.has(attribute) && DIGITS.test(value)

export const isId = (attribute: string): boolean => ID_ATTRIBUTES.has(attribute)

/** Whether a value may be shown as it is. */
export function isConstant(tag: string, attribute: string, value: string): boolean {
  const inTag = (table: ReadonlyMap<string, ReadonlySet<string>>): boolean => table.get(attribute)?.has(tag) === true
  if (WORD_ATTRIBUTES.has(attribute) || inTag(WORDS_IN)) {
    if (WORDS.has(value)) return true
  }
  if (NUMBER_ATTRIBUTES.has(attribute) || inTag(NUMBERS_IN)) return SMALL_NUMBER.test(value)
  return DURATION_ATTRIBUTES.has(attribute) && DURATION.test(value)
}
