import { describe, expect, it } from 'vitest'
import { SEARCHED_TABLES, sealedOf } from '../../src/store/erasures/searched-tables.ts'
import { newPlace, openStore, queryPlace, STORES } from '../harness/stores.ts'

/** Encrypted: only the secret key opens it. */
const SEALED = `answers.sealed commands.content commands.sealed deliveries.extras deliveries.sealed device_creds.sealed device_keys.sealed endpoints.headers endpoints.old_secret endpoints.secret erasures.names erasures.position events.extras events.sealed inbox.sealed labels.sealed listened_events.extras listened_events.sealed media.sealed media_pieces.content message_contents.sealed
  pairings.proxy pairings.step requests.sealed sandbox_payloads.sealed seen_messages.secret sent_messages.sealed sessions.auto_reject_message sessions.proxy
  sign_in_links.sealed simulator_entries.sealed streams.secret upload_parts.sealed webhooks.secret webhooks.old_secret`

/** Hashed: it recognises its input, and does not reveal it. */
const HASHED =
  'api_keys.key_hash endpoints.fingerprint messages.fingerprint portal_sessions.token_hash request_meters.id sign_in_links.token_hash users.password_hash'

/** Plain text about people: numbers, names that customers gave, who writes to whom, addresses of endpoints. */
const PERSONAL = `accounts.name api_log.requests api_keys.label api_keys.prefix api_keys.session_ids chat_labels.jid chat_labels.session_id chats.jid chats.session_id history_jobs.chat_jid history_jobs.session_id labels.session_id commands.queue commands.session_id first_messages.chat_jid first_messages.session_id
  dead_letters.attempts dead_letters.dedupe_id dead_letters.redacted dead_letters.session_id deliveries.attempts replaced_letters.attempts replaced_letters.dedupe_id replaced_letters.redacted replaced_letters.session_id
  deliveries.dedupe_id deliveries.lane deliveries.redacted deliveries.session_id endpoints.description endpoints.header_names endpoints.request_key endpoints.session_ids endpoints.url device_creds.session_id device_keys.id device_keys.session_id events.dedupe_id events.session_id history.attempts
  history.dedupe_id history.redacted history.session_id inbox.chat inbox.key inbox.session_id leases.id listened_events.dedupe_id listened_events.session_id media.session_id moved_numbers.session_id
  message_states.recipient messages.platform_id messages.recipient messages.request_id messages.request_key
  messages.session_id pairings.label pairings.phone pairings.session_id requests.session_id presence_subscriptions.contact_jid
  presence_subscriptions.session_id sandbox_payloads.session_id seen_messages.chat_jid seen_messages.message_id
  seen_messages.sender_jid seen_messages.session_id sent_messages.platform_id sent_messages.session_id sessions.id
  sessions.label sessions.phone simulator_entries.key unfinished_messages.key unfinished_messages.session_id users.email
  webhooks.connection_url webhooks.events_url webhooks.messages_url webhooks.phone webhooks.session_id
  webhooks.status_url`

/** Plain text that is not about people: our own ids, states, kinds, fixed texts, figures and public keys. */
const PLAIN = `account_meters.account_id account_meters.month accounts.id accounts.limit_overrides accounts.plan
  accounts.tos_version api_log.account_id api_log.id answers.request_id api_keys.account_id api_keys.id api_keys.scopes chat_labels.label history_jobs.id pairings.history_job history_jobs.platform_id history_jobs.state labels.id commands.held_because commands.id commands.kind
  commands.message_id dead_letters.account_id dead_letters.category dead_letters.event_id
  dead_letters.event_type dead_letters.id dead_letters.kind dead_letters.origin dead_letters.reason
  dead_letters.replayed_as dead_letters.webhook_id refusals.session_id replaced_letters.account_id replaced_letters.category replaced_letters.event_id
  replaced_letters.event_type replaced_letters.id replaced_letters.kind replaced_letters.origin replaced_letters.reason
  replaced_letters.replaced_by replaced_letters.replayed_as replaced_letters.webhook_id deliveries.account_id deliveries.category deliveries.event_id deliveries.event_type deliveries.id
  deliveries.kind deliveries.origin endpoint_mails.account_id endpoints.account_id endpoints.direction endpoints.id endpoints.include endpoints.kinds endpoints.retry endpoints.signature deliveries.webhook_id
  device_keys.category erasures.account_id erasures.erased erasures.id erasures.state events.account_id events.category events.history_type events.id events.kind history.account_id
  history.category history.event_id history.event_type history.id history.kind history.origin
  history.webhook_id history_heads.account_id holders.id holders.node_id holders.pool inbox.begun_by inbox.kind inbox.reason leases.kind leases.owner leases.pool listened_events.stream_id listened_events.category
  listened_events.event_id listened_events.kind listeners.account_id listeners.id listeners.kinds
  message_contents.message_id message_states.detail message_states.message_id message_states.state messages.account_id
  messages.detail messages.id messages.rare messages.reason messages.state messages.type moved_numbers.importing nodes.address nodes.id nodes.listens
  nodes.roles nodes.version open_streams.account_id open_streams.id open_streams.node_id pairings.account_id pairings.error pairings.id pairings.method pairings.owner
  pairings.platform pairings.status platform_versions.platform platform_versions.source portal_sessions.user_id replays.account_id replays.after_id replays.filter
  replays.id requests.id requests.kind requests.pairing_id requests.reply_to replays.state replays.webhook_id sandbox_payloads.event_id schema_migrations.checksum
  schema_migrations.name sessions.account_id sessions.addressing sessions.appear sessions.ban sessions.last_connection_event sessions.link_reason sessions.new_chat_cap sessions.pace sessions.restriction_type sessions.platform sessions.state sessions.told_event_id
  settings.name settings.value sign_in_links.user_id simulator_address.media_ca simulator_address.media_host simulator_address.name
  simulator_address.root_key simulator_address.url streams.id traces.id traces.traceparent media.account_id media.id media.mime_type media.place media.state media_pieces.media_id media_usage.account_id upload_parts.part upload_parts.upload_id uploads.account_id uploads.id uploads.mime_type usage_days.account_id usage_days.day
  usage_days.metric usage_deltas.account_id usage_deltas.day usage_deltas.metric usage_hours.account_id
  usage_hours.metric users.account_id users.id webhooks.account_id webhooks.id`

/** What the erasure of a person does not search, besides the numbers of the account itself. */
const NOT_SEARCHED = {
  'what the customer calls things, and its addresses': `accounts.name api_keys.label api_keys.prefix endpoints.description
    endpoints.header_names endpoints.request_key endpoints.url pairings.label sessions.auto_reject_message sessions.label users.email
    webhooks.connection_url webhooks.events_url webhooks.messages_url webhooks.status_url`,
  'the numbers of the account': `api_keys.session_ids deliveries.lane endpoints.session_ids leases.id pairings.phone sessions.id sessions.phone
    webhooks.phone`,
  'ids of messages': 'messages.platform_id seen_messages.message_id sent_messages.platform_id',
  secrets: `device_creds.sealed endpoints.headers endpoints.old_secret endpoints.secret pairings.proxy sessions.proxy streams.secret
    webhooks.old_secret webhooks.secret`,
  'gone in minutes': 'answers.sealed pairings.step requests.sealed sign_in_links.sealed',
  'bytes of files, which go with the row that names them': 'media_pieces.content upload_parts.sealed',
  'the erasure itself, which forgets the names at its end': 'erasures.names erasures.position',
  'the simulated world of sandbox numbers': 'simulator_entries.key simulator_entries.sealed',
}

const listed = (names: string): string[] => names.split(/\s+/).sort()

const COLUMNS = {
  sqlite: `select m.name || '.' || p.name as name, p.type as type from sqlite_master m join pragma_table_xinfo(m.name) p
    where m.type = 'table' and m.name not like 'sqlite_%'`,
  postgres: `select table_name || '.' || column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public'`,
}

describe.each(STORES)('The columns of the database on %s', kind => {
  it('are each encrypted, hashed, or listed as plain text: a new column that can hold text must be added to one list', async () => {
    const place = await newPlace(kind)
    await (await openStore(place)).close()
    const columns = await queryPlace<{ name: string; type: string }>(place, COLUMNS[kind])
    const words = columns.filter(({ type }) => /^(text|bytea)$/i.test(type))
    const all = [SEALED, HASHED, PERSONAL, PLAIN].flatMap(listed)
    expect(new Set(all).size).toBe(all.length)
    expect(words.map(({ name }) => name).sort()).toEqual([...all].sort())
    const bytes = words.filter(({ type }) => /^bytea$/i.test(type)).map(({ name }) => name)
    const isProtected = new Set([...listed(SEALED), ...listed(HASHED)])
    expect(bytes.filter(name => !isProtected.has(name))).toEqual(['simulator_address.root_key'])
    place.remove()
  })
})

it('Each column that can name a person is searched by the erasure of a person, or listed with the reason why not', () => {
  const searched = SEARCHED_TABLES.flatMap(({ table, text }) => [
    ...text.map(column => `${table}.${column}`),
    ...sealedOf(table).map(({ column }) => `${table}.${column}`),
  ])
  const all = [...searched, ...Object.values(NOT_SEARCHED).flatMap(listed)]
  const mustBe = [...listed(SEALED), ...listed(PERSONAL)].filter(name => !name.endsWith('.session_id'))
  expect([...new Set(all)].sort()).toEqual([...new Set(mustBe)].sort())
})
