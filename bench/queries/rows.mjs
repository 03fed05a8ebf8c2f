import { BOUNDS } from '../../dist/domain/bounds.js'
import {
  ACCOUNT,
  ACCOUNTS,
  CROWDED_CHAT,
  LANE,
  NOW,
  NUMBER,
  NUMBERS,
  OLD_MS,
  OWN_NUMBERS,
  oldId,
  READ_MESSAGE,
  RECEIPTS,
  SHARD,
  WEBHOOK,
  YOUNG_MS,
  youngId,
} from './names.mjs'

const text = value => `'${value}'`
const DAY_MS = 86_400_000
/** The default limit of numbers of a process. */
const HELD_BY_ONE = 2_000
const HOUR = Math.floor(NOW / 3_600_000)

/** The tables, with the number of rows and the value of each column in row `i`. */
export const FILLED = (rows, sql) => {
  const id = (prefix, at, expression) => `${text(at(prefix, 0).slice(0, -16))} || ${sql.pad(expression, 16)}`
  const account = expression => id('acc', oldId, expression)
  const webhook = expression => id('wh', oldId, expression)
  const number = expression => `'1555' || ${sql.pad(expression, 7)} || '@s.whatsapp.net'`
  const person = expression => `'1666' || ${sql.pad(expression, 7)} || '@s.whatsapp.net'`
  const ours = (share, theirs) => `case when i % 10 < ${share} then ${text(ACCOUNT)} else ${theirs} end`
  const ourNumber = share => `case when i % 10 < ${share} then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`
  const parts = { ...sql, id, account, webhook, number, person, ours, ourNumber }
  return [
    ...accountRows(rows, parts),
    ...watchedRows(rows, parts),
    ...messageRows(rows, parts),
    ...deliveryRows(rows, parts),
    ...numberRows(rows, parts),
  ]
}

function accountRows(rows, { id, account, webhook, number, bytes, hash, pad }) {
  const tenth = Math.ceil(rows / 10)
  const owner = `case when i < ${OWN_NUMBERS} then 0 else i % ${ACCOUNTS} end`
  const user = expression => id('usr', oldId, expression)
  return [
    {
      table: 'accounts',
      count: ACCOUNTS,
      columns: { id: account('i'), name: "'n'", plan: "'max'", limit_overrides: "'{}'", created_at: OLD_MS },
    },
    {
      table: 'users',
      count: ACCOUNTS,
      columns: {
        id: user('i'),
        account_id: account('i'),
        email: "'u' || i || '@example.com'",
        is_operator: `case when i = ${ACCOUNTS - 1} then 1 else 0 end`,
        created_at: `${OLD_MS} + i`,
      },
    },
    {
      table: 'portal_sessions',
      count: tenth,
      columns: {
        token_hash: hash('i'),
        user_id: user(`i % ${ACCOUNTS}`),
        created_at: OLD_MS,
        expires_at: NOW + DAY_MS,
        last_seen_at: OLD_MS,
      },
    },
    {
      table: 'sign_in_links',
      count: tenth,
      columns: {
        token_hash: hash('i'),
        user_id: user(`i % ${ACCOUNTS}`),
        created_at: OLD_MS,
        expires_at: NOW + DAY_MS,
      },
    },
    {
      table: 'api_keys',
      count: tenth,
      columns: {
        id: id('key', oldId, 'i'),
        account_id: account(`case when i < 200 then 0 else i % ${ACCOUNTS} end`),
        label: "''",
        prefix: "'ptn'",
        key_hash: hash('i'),
        scopes: "'messages:send'",
        created_at: OLD_MS,
      },
    },
    {
      table: 'sessions',
      count: NUMBERS,
      columns: {
        id: number('i'),
        account_id: account(owner),
        phone: `'1555' || ${pad('i', 7)}`,
        device: '1',
        label: "''",
        platform: "'whatsapp'",
        state: "case when i % 4 = 3 then 'logged_out' else 'connected' end",
        auto_reject: '0',
        pace: `case when i = 0 then '{"minMs":0,"maxMs":0,"newPerDay":1,"rampDays":null,"quiet":{"from":"00:00","to":"23:59","timeZone":"UTC"}}' end`,
        created_at: OLD_MS,
      },
    },
    {
      table: 'webhooks',
      count: NUMBERS,
      columns: {
        id: webhook('i'),
        account_id: account(owner),
        session_id: number('i'),
        phone: "''",
        messages_url: "'https://example.com/m'",
        status_url: "'https://example.com/s'",
        connection_url: "'https://example.com/c'",
        events_url: "'https://example.com/e'",
        secret: bytes(48),
        active: '1',
        created_at: OLD_MS,
        updated_at: OLD_MS,
      },
    },
    {
      table: 'endpoints',
      count: 50,
      columns: {
        id: id('ep', oldId, 'i'),
        account_id: account('0'),
        url: "'https://example.com/endpoint'",
        description: "''",
        include: "'[]'",
        signature: "'postern'",
        retry: "'eager'",
        reply: '0',
        header_names: "'[]'",
        secret: bytes(60),
        active: 'case when i = 0 then 1 else 0 end',
        created_at: OLD_MS,
        updated_at: OLD_MS,
      },
    },
    {
      table: 'usage_days',
      count: rows,
      columns: {
        account_id: account(`i % ${ACCOUNTS}`),
        day: `'20' || ${pad(`10 + i / ${ACCOUNTS} / 336`, 2)} || '-' || ${pad(`1 + i / ${ACCOUNTS} / 28 % 12`, 2)} || '-' || ${pad(`1 + i / ${ACCOUNTS} % 28`, 2)}`,
        metric: "'sent'",
        n: '1',
      },
    },
    {
      table: 'usage_hours',
      count: rows,
      columns: { account_id: account(`i % ${ACCOUNTS}`), hour: `${HOUR} - i / ${ACCOUNTS}`, metric: "'sent'", n: '1' },
    },
    {
      table: 'usage_deltas',
      count: tenth,
      columns: {
        account_id: account(`i % ${ACCOUNTS}`),
        day: text(new Date(NOW).toISOString().slice(0, 10)),
        hour: HOUR,
        metric: "'sent'",
        n: '1',
      },
    },
    {
      table: 'account_meters',
      count: ACCOUNTS,
      columns: { account_id: account('i'), tokens: '1', tokens_at: NOW, month: "'2020-01'", month_messages: '1' },
    },
    {
      table: 'request_meters',
      count: rows,
      columns: {
        id: id('key', oldId, 'i'),
        tokens: '1',
        tokens_at: `${NOW} - case when i % 2 = 0 then ${2 * DAY_MS} else 0 end`,
      },
    },
  ]
}

/** Rows of the API log and of live events. */
function watchedRows(rows, { id, account, number, bytes }) {
  const most = bound => Math.min(rows, bound)
  const request = `'[[${YOUNG_MS},"GET","/v1/messages/:id","/v1/messages/msg_1",200,"key_1",3,"req_' || i || '",null,null]]'`
  const kept = most(BOUNDS.listenedEvents)
  return [
    {
      table: 'api_log',
      count: rows,
      columns: {
        id: id('log', youngId, 'i'),
        // The newest, up to the limit of one account.
        account_id: `case when i >= ${rows - most(BOUNDS.loggedRequests)} then ${text(ACCOUNT)} else ${account(`i % ${ACCOUNTS}`)} end`,
        from_at: YOUNG_MS,
        until_at: YOUNG_MS,
        n: '1',
        requests: request,
      },
    },
    {
      table: 'traces',
      count: rows,
      columns: { id: id('msg', youngId, 'i'), traceparent: "'00-0-0-01'", expires_at: NOW + DAY_MS },
    },
    {
      table: 'streams',
      count: ACCOUNTS,
      columns: {
        id: account('i'),
        seq: kept,
        total: kept * 1_000,
        listened_until: NOW + DAY_MS,
        secret: bytes(48),
      },
    },
    {
      table: 'listeners',
      count: ACCOUNTS,
      columns: {
        id: id('lst', oldId, 'i'),
        account_id: account(`case when i < 5 then 0 else i end`),
        acked: '0',
        heard_at: YOUNG_MS,
        expires_at: NOW + DAY_MS,
      },
    },
    {
      table: 'listened_events',
      count: rows,
      columns: {
        stream_id: account(`i / ${kept}`),
        seq: `i % ${kept} + 1`,
        total: `(i % ${kept} + 1) * 1000`,
        event_id: id('evt', youngId, 'i'),
        session_id: number(`i % ${NUMBERS}`),
        kind: "'message'",
        category: "'messages'",
        dedupe_id: "'d' || i",
        bytes: '1000',
        created_at: YOUNG_MS,
        expires_at: NOW + DAY_MS,
        sealed: bytes(100),
      },
    },
  ]
}

function messageRows(rows, { id, ours, ourNumber, number, person, account, bytes, hash }) {
  const tenth = Math.ceil(rows / 10)
  const state = `case i % 10 when 0 then 'queued' when 1 then 'failed' when 2 then 'sent' when 3 then 'delivered'
    when 4 then 'cancelled' when 5 then 'scheduled' when 6 then 'played' else 'read' end`
  // The older half is overdue; the first tenth of it still waits.
  const isOld = `i < ${Math.floor(rows / 2)}`
  const message = `case when ${isOld} then ${id('msg', oldId, 'i')} else ${id('msg', youngId, 'i')} end`
  return [
    {
      table: 'messages',
      count: rows,
      columns: {
        id: message,
        account_id: ours(9, account(`i % ${ACCOUNTS}`)),
        session_id: ourNumber(5),
        request_key: "'key-' || i",
        fingerprint: hash('i'),
        request_id: "'req-' || i",
        recipient: person('i % 1000'),
        type: "'text'",
        state: `case when i < ${tenth} then 'queued' else ${state} end`,
        platform_id: "'3EB0' || i",
        created_at: `case when ${isOld} then ${OLD_MS} else ${YOUNG_MS} end`,
        updated_at: YOUNG_MS,
      },
    },
    {
      table: 'message_contents',
      count: rows,
      columns: {
        message_id: message,
        sealed: bytes(100),
        expires_at: `case when i % 4 = 1 then ${OLD_MS} else ${NOW + DAY_MS} end`,
      },
    },
    {
      table: 'message_states',
      count: rows,
      columns: { message_id: message, state: "'sent'", recipient: "''", at: YOUNG_MS },
    },
    {
      table: 'message_states',
      count: RECEIPTS,
      columns: {
        message_id: text(READ_MESSAGE),
        state: "'read'",
        recipient: person('i'),
        at: `${NOW} - (i * 7919) % ${RECEIPTS}`,
      },
    },
    {
      table: 'commands',
      count: rows,
      columns: {
        id: id('cmd', youngId, 'i'),
        session_id: `case when i % 10 < 5 then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`,
        queue: text(CROWDED_CHAT),
        kind: "'send'",
        message_id: message,
        attempt: '0',
        due_at: YOUNG_MS,
        created_at: YOUNG_MS,
      },
    },
    {
      table: 'requests',
      count: tenth,
      columns: {
        id: id('req', oldId, 'i'),
        session_id: `case when i < 90 then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`,
        kind: "'check'",
        sealed: bytes(100),
        created_at: OLD_MS,
        expires_at: OLD_MS,
      },
    },
    {
      table: 'answers',
      count: tenth,
      columns: {
        request_id: id('req', oldId, 'i'),
        sealed: bytes(100),
        expires_at: `${NOW} + ${DAY_MS} - 2 * ${DAY_MS} * (i % 2)`,
      },
    },
  ]
}

function deliveryRows(rows, { id, ours, webhook, account, number, bytes, pad }) {
  const isOld = `i < ${Math.floor(rows / 2)}`
  const event = id('evt', youngId, 'i')
  const delivery = id('dlv', youngId, 'i')
  const lane = `case when i % 10 < 4 then ${text(LANE)} else ${webhook(`i % ${NUMBERS}`)} || ':messages' end`
  const letter = {
    event_id: event,
    session_id: number(`i % ${NUMBERS}`),
    kind: "'message'",
    category: "'messages'",
    dedupe_id: "'d' || i",
    origin: "'event'",
    attempts: `'[{"atMs":1,"latencyMs":2}]'`,
    created_at: YOUNG_MS,
    redacted: "'{}'",
  }
  return [
    {
      table: 'events',
      count: rows,
      columns: {
        id: event,
        account_id: ours(9, account(`i % ${ACCOUNTS}`)),
        session_id: number(`i % ${NUMBERS}`),
        kind: "'message'",
        category: "'messages'",
        history_type: "'message'",
        dedupe_id: "'d' || i",
        bytes: 'case when i % 5 = 0 then 9000 else 1000 end',
        pending: 'case when i % 20 = 0 then 0 else 1 end',
        created_at: YOUNG_MS,
        sealed: bytes(100),
      },
    },
    {
      table: 'deliveries',
      count: rows,
      columns: {
        id: delivery,
        event_id: event,
        account_id: ours(9, account(`i % ${ACCOUNTS}`)),
        shard: `case when i % 10 < 4 then ${SHARD} else i % 64 end`,
        lane,
        origin: "'event'",
        attempt: '1',
        due_at: `${NOW} + ${DAY_MS} * case when i % 50 = 49 then -1 else 1 end`,
        created_at: YOUNG_MS,
        updated_at: YOUNG_MS,
        webhook_id: text(WEBHOOK),
        session_id: number(`i % ${NUMBERS}`),
        kind: "'message'",
        event_type: "'message'",
        category: "'messages'",
        dedupe_id: "'d' || i",
        bytes: '1000',
        attempts: "'[]'",
        redacted: "'{}'",
        sealed: bytes(100),
      },
    },
    {
      table: 'dead_letters',
      count: rows,
      columns: {
        ...letter,
        id: `case when ${isOld} then ${id('dlv', oldId, 'i')} else ${id('dlv', youngId, 'i')} end`,
        account_id: ours(9, account(`i % ${ACCOUNTS}`)),
        webhook_id: `case when i % 10 < 3 then ${text(WEBHOOK)} when i % 10 < 6 then ${webhook('1')} else ${webhook(`i % ${NUMBERS}`)} end`,
        event_type: "case when i % 3 = 0 then null else 'message' end",
        reason: "'attempts_exhausted'",
        updated_at: `${YOUNG_MS} + i % 1000`,
        redelivered_at: `case when i % 5 < 2 then ${YOUNG_MS} else null end`,
        created_at: `case when ${isOld} then ${OLD_MS} else ${YOUNG_MS} end`,
      },
    },
    {
      table: 'replaced_letters',
      count: rows,
      columns: {
        ...letter,
        id: id('dlv', oldId, 'i'),
        // Up to the limit of one account.
        account_id: account(`i / ${BOUNDS.replacedLetters}`),
        webhook_id: text(WEBHOOK),
        event_type: "'message'",
        reason: "'attempts_exhausted'",
        updated_at: YOUNG_MS,
        replaced_by: delivery,
        replayed_as: delivery,
      },
    },
    {
      table: 'history',
      count: rows,
      columns: {
        ...letter,
        account_id: account('i / 500'),
        slot: 'i % 500',
        id: delivery,
        webhook_id: webhook('i / 500'),
        event_type: "'message'",
        updated_at: YOUNG_MS,
      },
    },
    { table: 'history_heads', count: Math.ceil(rows / 500), columns: { account_id: account('i'), seq: '500' } },
    {
      table: 'replays',
      count: Math.ceil(rows / 10),
      columns: {
        id: id('rpl', oldId, 'i'),
        account_id: account(`i % ${ACCOUNTS}`),
        webhook_id: webhook(`i % ${NUMBERS}`),
        shard: 'i % 64',
        filter: "'dead'",
        since: '0',
        until: NOW,
        state: "case when i = 0 then 'running' else 'done' end",
        total: '1',
        done: '1',
        delivered: '1',
        failed: '0',
        after_id: "''",
        created_at: OLD_MS,
        updated_at: YOUNG_MS,
      },
    },
    {
      table: 'sandbox_payloads',
      count: Math.ceil(rows / 10),
      columns: {
        event_id: event,
        session_id: number(`i % ${NUMBERS}`),
        sealed: bytes(100),
        expires_at: `${NOW} + ${DAY_MS} * (i % 2)`,
      },
    },
    {
      table: 'uploads',
      count: Math.ceil(rows / 10),
      columns: {
        id: `'upload-' || ${pad('i', 9)}`,
        // Up to the limit of one account.
        account_id: `case when i < ${BOUNDS.uploads} then ${text(ACCOUNT)} else ${account(`i % ${ACCOUNTS}`)} end`,
        mime_type: "'image/jpeg'",
        bytes: '100',
        parts: '1',
        expires_at: `${NOW} + ${DAY_MS} * (i % 2)`,
      },
    },
    {
      table: 'upload_parts',
      count: Math.ceil(rows / 10),
      columns: { upload_id: `'upload-' || ${pad('i', 9)}`, part: "'0000'", sealed: bytes(100) },
    },
    {
      table: 'media',
      count: Math.ceil(rows / 10),
      columns: {
        id: `'med_' || ${pad('i', 26)}`,
        account_id: `case when i < 1000 then ${text(ACCOUNT)} else ${account(`i % ${ACCOUNTS}`)} end`,
        session_id: 'null',
        state: "case when i % 10 = 7 then 'incoming' else 'ready' end",
        place: "'database'",
        mime_type: "'image/jpeg'",
        bytes: '100',
        sealed: bytes(100),
        created_at: NOW,
        expires_at: `${NOW} + ${DAY_MS} * (i % 2)`,
      },
    },
    {
      table: 'media_usage',
      count: ACCOUNTS,
      columns: { account_id: account('i'), files: '1000', bytes: '100000' },
    },
    {
      table: 'media_pieces',
      count: Math.ceil(rows / 10),
      columns: { media_id: `'med_' || ${pad('i', 26)}`, piece: '0', content: bytes(100) },
    },
    {
      table: 'simulator_entries',
      count: Math.ceil(rows / 10),
      columns: { key: `'entry-' || ${pad('i', 9)}`, sealed: bytes(100) },
    },
  ]
}

function numberRows(rows, { id, account, ourNumber, number, person, bytes }) {
  const tenth = Math.ceil(rows / 10)
  const isOurs = 'i % 10 < 5'
  return [
    {
      table: 'leases',
      count: NUMBERS,
      columns: {
        kind: "'session'",
        id: number('i'),
        // The first host holds the maximum, the others fewer.
        owner: `case when i % 4 = 3 then null when i * 3 < ${HELD_BY_ONE} * 4 then 'host_bench' else 'host_' || (i % 19 + 1) end`,
        epoch: '1',
        pool: "'whatsapp'",
        changed_at: NOW,
      },
    },
    { table: 'device_creds', count: NUMBERS, columns: { session_id: number('i'), sealed: bytes(500) } },
    {
      table: 'device_keys',
      count: rows,
      columns: {
        session_id: `case when i % 50 = 0 then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`,
        category: "'session'",
        id: "'k' || i",
        sealed: bytes(100),
      },
    },
    {
      table: 'inbox',
      count: rows,
      columns: {
        session_id: ourNumber(5),
        key: "'m' || i",
        seq: 'i',
        kind: "'message'",
        chat: person('i % 1000'),
        received_at: YOUNG_MS,
        sealed: bytes(100),
        begun_by: 'null',
        done_at: `case when i % 20 = 0 then null when i < ${tenth} then ${OLD_MS} else ${YOUNG_MS} + i % 1000 end`,
        reason: "case when i % 20 in (1, 2) then 'poison' else null end",
      },
    },
    {
      table: 'unfinished_messages',
      count: tenth,
      columns: {
        session_id: `case when ${isOurs} then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`,
        key: "'m' || i",
        tries: '1',
        tried_at: `case when i % 2 = 0 then ${OLD_MS} else ${NOW} end`,
      },
    },
    {
      table: 'sent_messages',
      count: rows,
      columns: {
        session_id: ourNumber(5),
        platform_id: "'3EB0' || i",
        sealed: bytes(100),
        expires_at: `case when i % 2 = 0 then ${OLD_MS} else ${NOW + DAY_MS} end`,
      },
    },
    {
      table: 'seen_messages',
      count: rows,
      columns: {
        session_id: ourNumber(5),
        message_id: "'s' || i",
        chat_jid: `case when i % 3 = 0 then ${text(CROWDED_CHAT)} else ${person('i % 1000')} end`,
        sender_jid: person('i % 1000'),
        from_me: 'case when i % 3 = 0 then 1 else 0 end',
        expires_at: `case when i < ${tenth} then ${OLD_MS} else ${NOW + DAY_MS} + i end`,
      },
    },
    {
      table: 'presence_subscriptions',
      count: tenth,
      columns: {
        session_id: `case when i < 1000 then ${text(NUMBER)} else ${number(`i % ${NUMBERS}`)} end`,
        contact_jid: person('i'),
        created_at: YOUNG_MS,
      },
    },
    {
      table: 'pairings',
      count: tenth,
      columns: {
        id: id('pair', youngId, 'i'),
        account_id: account(`case when i < 200 then 0 else i % ${ACCOUNTS} end`),
        platform: "'whatsapp'",
        method: "'qr'",
        label: "''",
        status: "case when i % 100 = 99 then 'waiting' else 'expired' end",
        owner: "'host_bench'",
        claimed_until: '0',
        created_at: YOUNG_MS,
        updated_at: YOUNG_MS,
        expires_at: `case when i % 100 = 99 then ${NOW + DAY_MS} when i % 2 = 0 then ${OLD_MS} else ${YOUNG_MS} end`,
      },
    },
    {
      table: 'holders',
      count: 40,
      columns: {
        id: "case when i = 0 then 'host_bench' else 'host_' || i end",
        node_id: "'node_' || i",
        pool: "'whatsapp'",
        leases: '500',
        room: '2000',
        beat: '1',
        lasts_until: NOW + DAY_MS,
      },
    },
    {
      table: 'nodes',
      count: 40,
      columns: {
        id: "'node_' || i",
        roles: "'api,worker'",
        address: "''",
        version: "''",
        listens: "''",
        clock_ahead_ms: '0',
        started_at: NOW,
        seen_at: NOW,
      },
    },
  ]
}
