import { createHash } from 'node:crypto'
import { SEARCHED_TABLES } from '../../dist/store/erasures/searched-tables.js'
import { SEALED_COLUMNS } from '../../dist/store/resealing/resealing.js'
import {
  ACCOUNT,
  accountId,
  CROWDED_CHAT,
  ENDPOINT,
  LANE,
  LOGGED_OUT,
  NOW,
  NUMBER,
  oldId,
  READ_MESSAGE,
  SHARD,
  sessionId,
  WEBHOOK,
  webhookId,
  YOUNG_MS,
  youngId,
} from './names.mjs'

const BATCH = 256
const HOST = { id: 'host_bench', nodeId: 'node_1', platform: 'whatsapp' }
const TTL = { ttlMs: 6_000 }
const page = { limit: 100, cursor: null }
const bytes = n => new Uint8Array(n)
const hash = n => new Uint8Array(createHash('md5').update(String(n)).digest())
const many = (n, make) => Array.from({ length: n }, (_, i) => make(i))
const lease = n => ({ kind: 'session', id: sessionId(n), epoch: 1, owner: 'host_bench' })
const LIVING = { id: 'host_bench', nodeId: 'node_1', pool: 'whatsapp', room: 2_000, lastsMs: 75_000 }
const LEASE = lease(0)
const LIMITS = { perSecond: 80, burst: 800, perMonth: null, waiting: 250_000 }
let serial = 0
const fresh = prefix => `${prefix}_bench${serial++}`
const media = n => `med_${String(n).padStart(26, '0')}`
const upload = n => `upload-${String(n).padStart(9, '0')}`
/** Numbers that are hosted: every fourth is not. */
const hosted = n => Math.floor((n * 4) / 3)

const arriving = () => ({
  sessionId: fresh('s'),
  accountId: ACCOUNT,
  platform: 'whatsapp',
  epoch: 2,
  importId: 'imp_bench',
})
/** The largest table of a number. */
const DEVICE_KEYS = {
  name: 'device_keys',
  columns: ['session_id', 'category', 'id', 'sealed'],
  key: ['session_id', 'category', 'id'],
  bytes: ['sealed'],
}

const event = n => ({
  id: fresh('evt'),
  accountId: n < 1_500 ? ACCOUNT : accountId(n % 5_000),
  sessionId: sessionId(n),
  kind: 'message',
  category: 'messages',
  historyType: 'message',
  dedupeId: fresh('d'),
  sealedPayload: bytes(1_000),
  redacted: '{}',
  bytes: 1_000,
})
/** In the table the whole id of a message takes the place of its beginning. */
const sent = n => ({ platformId: `3EB0${n}`, beginning: youngId('msg', n) })
const acceptance = n => ({
  accountId: ACCOUNT,
  message: {
    id: fresh('msg'),
    sessionId: sessionId(hosted(n)),
    requestKey: fresh('key'),
    fingerprint: bytes(32),
    to: '15551234567@s.whatsapp.net',
    type: 'text',
    platformId: fresh('3EB0'),
    sendAt: null,
  },
  sealedContent: bytes(250),
  limits: LIMITS,
})
const ENDPOINT_SETTINGS = {
  keepHours: null,
  url: `https://example.com/${'e'.repeat(4_000)}`,
  description: 'd'.repeat(200),
  kinds: ['message', 'status', 'receipt'],
  sessionIds: Array.from({ length: 100 }, (_, n) => sessionId(n)),
  direction: null,
  include: [],
  headers: { names: Array.from({ length: 20 }, (_, n) => `X-Header-${n}`), sealed: bytes(20_000) },
  signature: 'standard',
  retry: 'eager',
  reply: false,
  active: true,
}
const attempt = next => n => ({
  deliveryId: youngId('dlv', n),
  eventId: youngId('evt', n),
  accountId: ACCOUNT,
  webhookId: WEBHOOK,
  isRecorded: true,
  origin: 'event',
  lease: { kind: 'session', id: sessionId(0), epoch: 1 },
  attemptsBefore: 1,
  attemptsAfter: 2,
  attempts: '[]',
  next,
})
const dead = {
  kind: 'dead',
  reason: 'attempts_exhausted',
  deadLetter: {
    webhookId: WEBHOOK,
    sessionId: NUMBER,
    kind: 'message',
    eventType: 'message',
    category: 'messages',
    dedupeId: 'd',
    createdAt: NOW,
    redacted: '{}',
  },
}
const step = n => ({
  messageId: youngId('msg', 500_010 + n * 10 + 2),
  accountId: ACCOUNT,
  state: 'delivered',
  recipient: '15551234567@s.whatsapp.net',
  atMs: NOW,
  event: event(n),
  serverId: null,
  reason: null,
  detail: null,
})

/** The worst input of each transaction and query, by name if there are several. A function creates it for each call. */
export const INPUTS = {
  accounts: {
    createAccount: {
      '': () => ({
        id: fresh('acc'),
        name: 'n',
        plan: 'free',
        limitOverrides: {},
        acceptTosVersion: null,
        user: null,
        key: null,
      }),
    },
    getAccount: { '': ACCOUNT },
    listAccounts: { '': page },
    updateAccount: { '': { id: ACCOUNT, name: 'm' } },
  },
  apiLog: {
    addApiLog: {
      '': () =>
        many(BATCH, n => ({
          id: fresh('log'),
          accountId: n === 0 ? ACCOUNT : accountId(n),
          fromMs: NOW,
          untilMs: NOW,
          n: 1,
          requests: '[]',
          trims: n === 0,
        })),
    },
    getLoggedRequest: { '': { accountId: ACCOUNT, id: `${youngId('log', 999_999)}.0000` } },
    listApiLog: {
      'without reads': { accountId: ACCOUNT, withoutReads: true, ...page },
      all: { accountId: ACCOUNT, ...page },
      'what is not there': { accountId: ACCOUNT, search: 'nothing', ...page },
    },
  },
  chats: {
    followChats: { '': NUMBER },
    getChat: { '': { sessionId: NUMBER, jid: '15551234567@s.whatsapp.net' } },
    listChats: { '': { sessionId: NUMBER, ...page } },
    readFollowedChats: { '': NUMBER },
    readLabelNames: { '': NUMBER },
  },
  erasures: {
    createErasure: { '': () => ({ id: fresh('job'), accountId: ACCOUNT, names: bytes(100) }) },
    eraseStep: {
      'a batch of 256 messages': () => ({
        id: 'job_bench',
        deleted: many(BATCH, n => ({ table: 'messages', where: { id: oldId('msg', n) } })),
        changed: many(BATCH, n => ({
          table: 'messages',
          where: { id: oldId('msg', BATCH + n) },
          set: { recipient: '' },
        })),
        eventIds: many(BATCH, n => oldId('evt', n)),
        mediaIds: many(BATCH, media),
        sessionIds: [],
        shards: [],
        erased: { messages: BATCH },
        position: bytes(100),
      }),
    },
    getErasure: { '': { id: 'job_bench', accountId: ACCOUNT } },
    listNumberIds: { '': ACCOUNT },
    searchRows: Object.fromEntries(
      SEARCHED_TABLES.map(table => [
        table.table,
        { table, accountId: ACCOUNT, sessionIds: [NUMBER], sessionId: NUMBER, after: null },
      ]),
    ),
    takeErasure: { '': undefined },
  },
  historyJobs: {
    addHistoryJob: {
      '': n => ({
        id: youngId('job', n),
        sessionId: NUMBER,
        chatJid: CROWDED_CHAT,
        wanted: 50,
        waitMs: 86_400_000,
        platformId: `3EB0${n}`,
      }),
    },
    dropHistoryJob: { '': youngId('job', 1) },
    getHistoryJob: { '': youngId('job', 1) },
  },
  commands: {
    admitCommand: {
      '': {
        lease: LEASE,
        commandId: youngId('cmd', 0),
        kind: 'send',
        chatJid: CROWDED_CHAT,
        isUrgent: false,
        pauseMs: 1_000,
        resumes: true,
      },
    },
    beginAttempt: { '': many(BATCH, n => ({ lease: lease(hosted(n)), commandId: youngId('cmd', n), attempt: 1 })) },
    endFollowUp: {
      '': { lease: LEASE, commandId: youngId('cmd', 0), messageId: READ_MESSAGE, state: 'edited', detail: null },
    },
    lookAhead: { '': NUMBER },
    readDueCommands: {
      'a crowded chat': { sessionId: NUMBER, exceptQueues: [CROWDED_CHAT], exceptIds: [], limit: 128 },
      'all known': { sessionId: NUMBER, exceptQueues: [], exceptIds: many(2_000, n => youngId('cmd', n)), limit: 128 },
    },
    readDueSessions: { '': many(1_000, sessionId) },
    readHolds: { '': many(200, n => youngId('cmd', n)) },
    readQueueDepth: { '': undefined },
    readUnhostedCommands: { '': 256 },
  },
  deliveries: {
    countDeadLetters: {
      '': { accountId: ACCOUNT, sessionIds: null },
      'of some numbers': { accountId: ACCOUNT, sessionIds: [NUMBER] },
    },
    getDelivery: { 'of the history': youngId('dlv', 1), 'a dead letter': oldId('dlv', 1) },
    giveUpDelivery: { '': youngId('dlv', 1) },
    listDeliveries: {
      all: { accountId: ACCOUNT, sessionIds: null, ...page },
      'a number that has none': { accountId: ACCOUNT, sessionIds: null, sessionId: '1@s.whatsapp.net', ...page },
      'a kind that there is none of': {
        accountId: ACCOUNT,
        sessionIds: null,
        status: 'dead',
        eventType: 'receipt',
        ...page,
      },
      'a webhook': { accountId: ACCOUNT, sessionIds: null, status: 'dead', webhookId: webhookId(1_999), ...page },
      'of many numbers': { accountId: ACCOUNT, sessionIds: many(1_000, n => `${n}@s.whatsapp.net`), ...page },
      changed: { accountId: ACCOUNT, sessionIds: null, changedSinceMs: 0, ...page },
    },
    readDeliveryDepth: { '': undefined },
    readDue: {
      'many lanes': many(128, n => ({
        shard: n % 64,
        lane: `${webhookId(n)}:messages`,
        dueAt: 0,
        id: '',
        limit: 64,
        deep: false,
      })),
      'a deep lane': [{ shard: SHARD, lane: LANE, dueAt: 0, id: '', limit: 256, deep: true }],
      'deep and others': many(128, n =>
        n === 0
          ? { shard: SHARD, lane: LANE, dueAt: 0, id: '', limit: 64, deep: false }
          : { shard: n % 64, lane: `${webhookId(n)}:messages`, dueAt: 0, id: '', limit: 64, deep: false },
      ),
    },
    readEventFacts: { '': youngId('dlv', 1) },
    readExtras: { '': youngId('evt', 1) },
    readLanes: { '': many(8, n => (SHARD + n) % 64) },
    readNextDue: {
      '': { lanes: many(1_000, n => ({ shard: n % 64, lane: `${webhookId(n)}:messages` })), afterMs: NOW },
    },
    readPayload: { '': youngId('evt', 1) },
    recordAttempt: {
      delivered: many(BATCH, attempt({ kind: 'delivered' })),
      'again later': many(BATCH, attempt({ kind: 'retry', delayMs: 30_000 })),
      waiting: many(BATCH, attempt({ kind: 'wait' })),
      dead: many(BATCH, attempt(dead)),
    },
    resendDelivery: { '': oldId('dlv', 1) },
  },
  devices: {
    commitDeviceState: {
      '': () =>
        many(BATCH, n => ({
          lease: lease(hosted(n)),
          creds: bytes(500),
          keys: [{ category: 'session', id: fresh('k'), sealed: bytes(300) }],
          inbox: [
            { key: fresh('m'), seq: 1, kind: 'message', chat: CROWDED_CHAT, receivedAt: NOW, sealed: bytes(500) },
          ],
          sent: [],
          finished: [fresh('m')],
        })),
      poison: () => [
        {
          lease: LEASE,
          creds: null,
          keys: [],
          sent: [],
          inbox: [
            {
              key: fresh('m'),
              seq: 1,
              kind: 'message',
              chat: CROWDED_CHAT,
              receivedAt: NOW,
              sealed: bytes(500),
              poison: true,
            },
          ],
        },
      ],
    },
    readDeviceCreds: { '': NUMBER },
    readDeviceKeys: { '': { sessionId: NUMBER, category: 'session', ids: many(1_000, n => `k${n * 50}`) } },
    readSentMessage: { '': { sessionId: NUMBER, platformId: '3EB01' } },
  },
  endpoints: {
    createEndpoint: {
      '': () => ({
        id: fresh('ep'),
        accountId: ACCOUNT,
        ...ENDPOINT_SETTINGS,
        sealedSecret: bytes(60),
        request: { key: fresh('order'), fingerprint: bytes(36) },
      }),
    },
    deleteEndpoint: { '': ENDPOINT },
    endEndpointMail: {
      '': { accountId: ACCOUNT, endpoints: [{ id: ENDPOINT, since: NOW }], dueAt: NOW, againInMs: null },
    },
    findEndpointMail: { '': NOW },
    getEndpoint: { '': ENDPOINT },
    isIncluded: { '': { sessionId: NUMBER, word: 'own' } },
    isIncludedForNew: { '': { accountId: ACCOUNT, sessionId: null, word: 'history' } },
    listEndpoints: { '': { accountId: ACCOUNT, ...page } },
    readCurrentEndpoints: { '': [ENDPOINT] },
    recordEndpointHealth: {
      failing: { id: ENDPOINT, health: { kind: 'failing', sinceMs: NOW } },
      notify: () => ({ id: ENDPOINT, health: { kind: 'notify', event: event(0) } }),
      'switched off': () => ({ id: ENDPOINT, health: { kind: 'switch_off', event: event(0) } }),
      answers: { id: ENDPOINT, health: { kind: 'answers', event: null } },
    },
    takeEndpointMail: { '': ACCOUNT },
    rotateEndpointSecret: { '': { id: ENDPOINT, sealedSecret: bytes(60), overlapMs: 1_000 } },
    updateEndpoint: {
      '': { id: ENDPOINT, changes: { ...ENDPOINT_SETTINGS, active: true } },
      'switched off': { id: ENDPOINT, changes: { active: false } },
    },
  },
  events: {
    publishEvent: { '': () => many(BATCH, event) },
  },
  hosting: {
    recordHostHeartbeat: { '': LIVING },
    hasFreeSession: { '': 'whatsapp' },
    readHeld: { '': HOST },
    readHosted: { '': many(256, sessionId) },
    readWanted: { '': ['whatsapp', 'sandbox'] },
    releaseSession: { '': many(500, n => lease(hosted(n))) },
    takeSessions: { '': { ...HOST, limit: 64 } },
  },
  inbox: {
    publishItem: {
      '': () =>
        many(BATCH, n => ({
          lease: LEASE,
          accountId: ACCOUNT,
          key: `m${n * 20}`,
          events: [event(0)],
          received: 1,
          remember: [
            {
              messageId: fresh('s'),
              chatJid: CROWDED_CHAT,
              senderJid: CROWDED_CHAT,
              fromMe: 0,
              secret: null,
              isAnswered: false,
            },
          ],
          reason: null,
          keepBody: false,
        })),
    },
    hasUnhostedInbox: { '': HOST },
    hasWritten: { '': { sessionId: NUMBER, chatJid: CROWDED_CHAT } },
    readInbox: { '': { sessionId: NUMBER, limit: 256 } },
    readKnownInboxKeys: { '': { sessionId: NUMBER, keys: many(256, n => `m${n}`) } },
    readLastSeq: { '': NUMBER },
    readMessageTries: { '': NUMBER },
    readPoison: { '': undefined },
    recordBegunBy: { '': { lease: LEASE, key: 'm0', owners: ['node_a/host_a'] } },
    recordMessageTries: { '': { lease: LEASE, tries: many(100, n => ({ key: `m${n}`, tries: 1 })) } },
    findFirstHistory: { '': NUMBER },
    findWaitingHistory: { '': { sessionId: NUMBER, platformId: '3EB01' } },
    publishHistorySlice: {
      '': () => ({
        lease: LEASE,
        jobId: 'job_bench',
        messages: many(100, n => ({
          event: event(n),
          inboxKeys: [`m${n}`],
          seen: {
            messageId: fresh('h'),
            chatJid: CROWDED_CHAT,
            senderJid: CROWDED_CHAT,
            fromMe: 0,
            secret: null,
            isAnswered: false,
          },
        })),
      }),
    },
    readSeenMessage: {
      '': { sessionId: NUMBER, messageId: 's1', beginning: youngId('msg', 500_001), chats: [CROWDED_CHAT] },
    },
    takeUnhostedInboxes: { '': { ...HOST, limit: 20 } },
  },
  keys: {
    createKey: {
      '': () => ({
        accountId: ACCOUNT,
        key: { id: fresh('key'), label: '', prefix: 'ptn', hash: hash(fresh('h')), scopes: [], sessionIds: null },
        maxKeys: 1_000,
      }),
    },
    findKeyByHash: { '': hash(1) },
    getKey: { '': oldId('key', 1) },
    listKeys: { '': { accountId: ACCOUNT, ...page } },
    revokeKey: { '': { accountId: ACCOUNT, keyId: oldId('key', 1) } },
    touchKeys: { '': many(BATCH, n => ({ id: oldId('key', n), at: NOW })) },
  },
  leases: {
    addLeases: { '': { names: many(64, n => ({ kind: 'shard', id: String(n) })), pool: 'shards' } },
    recordHeartbeat: { '': LIVING },
    endLeaseOwner: { '': { id: 'host_none' } },
    freeAllLeases: { '': undefined },
    listLeases: { '': 'session' },
    readLeasesOf: { '': 'host_bench' },
    releaseLeases: { '': many(500, n => lease(hosted(n))) },
    takeLease: { '': { owner: 'host_bench', name: { kind: 'session', id: LOGGED_OUT } } },
  },
  limits: {
    closeAccountStream: { '': 'stream' },
    countApiNodes: { '': undefined },
    openAccountStream: { '': () => ({ id: fresh('stream'), accountId: ACCOUNT, nodeId: 'node_1', max: 50 }) },
    syncRequestMeters: { '': many(BATCH, n => ({ id: oldId('key', n), n: 1, perSecond: 10, burst: 100 })) },
  },
  listeners: {
    acknowledge: {
      'all at once': { id: oldId('lst', 4_999), accountId: accountId(4_999), cursor: 10_000, keptMs: 60_000 },
    },
    acknowledgePulled: { 'all at once': { endpointId: accountId(4_999), cursor: 10_000 } },
    closeListener: { '': { id: oldId('lst', 4_999), accountId: accountId(4_999) } },
    emptyStream: { '': accountId(4_998) },
    openListener: {
      '': () => ({ id: fresh('lst'), accountId: ACCOUNT, sealedSecret: bytes(48), keptMs: 60_000, kinds: null }),
    },
    readStream: { '': { streamId: ACCOUNT, after: 0, limit: 100, maxBytes: 4 * 1_048_576 } },
  },
  media: {
    addMedia: {
      '': () => ({
        id: fresh('med'),
        accountId: ACCOUNT,
        sessionId: null,
        state: 'incoming',
        place: 'database',
        mimeType: 'image/jpeg',
        bytes: 100,
        sealed: Buffer.alloc(100),
      }),
    },
    addMediaPiece: { '': () => ({ id: fresh('med'), piece: 0, content: Buffer.alloc(262_160) }) },
    dropMedia: { '': [media(2)] },
    dropMediaPieces: { '': media(2) },
    expireMedia: { '': media(9) },
    findSentMedia: { '': { id: media(1), sessionId: NUMBER } },
    finishMedia: {
      '': { id: media(7), bytes: 100, mimeType: 'image/jpeg', place: 'folder', sealed: Buffer.alloc(100) },
    },
    getMedia: { '': media(1) },
    hasRoomFor: { '': media(1) },
    prolongMedia: { '': { id: media(7), bytes: 100 } },
    readExpiredMedia: { '': { places: ['database', 'folder'], limit: 50 } },
    sumMediaUsage: { '': undefined },
    readMediaPiece: { '': { id: media(1), piece: 0 } },
    useMedia: { '': { id: media(1), accountId: ACCOUNT, sendAt: null } },
  },
  messages: {
    acceptMessage: {
      '': () => many(BATCH, acceptance),
      'too many wait': () =>
        many(BATCH, n => ({ ...acceptance(n), limits: { ...LIMITS, perSecond: null, waiting: 1 } })),
    },
    acceptWaiting: { '': () => many(BATCH, acceptance) },
    cancelMessage: { '': youngId('msg', 500_000) },
    chargeMessage: { '': { accountId: ACCOUNT, limits: LIMITS } },
    listViewers: { '': { messageId: READ_MESSAGE, limit: 100, cursor: null } },
    enqueueFollowUp: {
      '': () => ({
        commandId: fresh('cmd'),
        accountId: ACCOUNT,
        limits: { ...LIMITS, waiting: 1 },
        kind: 'edit',
        messageId: youngId('msg', 500_012),
        sealed: bytes(100),
      }),
    },
    findMessage: { '': { sessionId: NUMBER, ...sent(500_001) } },
    findRepeated: { '': { accountId: ACCOUNT, requestKey: 'key-1' } },
    getMessage: { '': READ_MESSAGE },
    listChangedMessages: { '': { accountId: ACCOUNT, sinceMs: 0 } },
    listMessages: {
      all: { accountId: ACCOUNT, sessionIds: null, ...page },
      'a number that has none': { accountId: ACCOUNT, sessionIds: null, sessionId: sessionId(1_999), ...page },
      'failed of such a number': {
        accountId: ACCOUNT,
        sessionIds: null,
        sessionId: sessionId(1_999),
        state: 'failed',
        ...page,
      },
      failed: { accountId: ACCOUNT, sessionIds: null, state: 'failed', ...page },
      queued: { accountId: ACCOUNT, sessionIds: null, state: 'queued', ...page },
      'of many numbers': { accountId: ACCOUNT, sessionIds: many(1_000, n => sessionId(1_000 + n)), ...page },
    },
    recordProgress: {
      '': () => many(BATCH, n => ({ lease: lease(hosted(n)), steps: [step(n)], commandId: null, inboxKey: null })),
    },
    readMessageContent: { '': READ_MESSAGE },
    readMessageStates: { '': READ_MESSAGE },
    readSandboxContents: { '': [READ_MESSAGE] },
    readSentMessages: { '': { sessionId: NUMBER, sent: many(256, n => sent(500_000 + n)) } },
  },
  moving: {
    beginMove: { '': 'x' },
    endMove: { '': undefined },
    listTables: { '': undefined },
    markMoved: { '': 'x' },
    readMarks: { '': undefined },
    readRows: {
      '': {
        table: { name: 'messages', columns: ['id', 'account_id', 'fingerprint'], key: ['id'], bytes: ['fingerprint'] },
        after: [youngId('msg', 1)],
      },
    },
    takeBackMove: { '': undefined },
    writeRows: {
      '': () => ({
        table: 'request_meters',
        rows: many(500, () => ({ id: fresh('key'), tokens: 1, tokens_at: NOW })),
        progress: { from: 'x', tables: {} },
      }),
    },
  },
  nodes: {
    announceNode: { '': { id: 'node_1', roles: 'api', address: '', version: '', listens: '', clockAheadMs: 0 } },
    forgetNode: { '': 'node_1' },
    listListening: { '': undefined },
    listNodes: { '': undefined },
    touchNode: { '': 'node_1' },
  },
  pairings: {
    claimPairings: { '': { owner: 'host_bench', platform: 'whatsapp', limit: 20, ...TTL } },
    clearMovedNumber: { '': { id: youngId('pair', 199), sessionId: NUMBER, movedDetail: 'moved' } },
    completePairing: {
      '': {
        id: youngId('pair', 99),
        owner: 'host_bench',
        sessionId: sessionId(1),
        phone: '15550000000',
        device: 2,
        creds: bytes(500),
        keys: many(800, n => ({ category: 'pre-key', id: String(n), sealed: bytes(100) })),
        movedDetail: 'moved',
      },
    },
    createPairing: {
      '': () => ({
        id: fresh('pair'),
        accountId: ACCOUNT,
        platform: 'whatsapp',
        method: 'qr',
        phone: null,
        label: '',
        timeoutMs: 60_000,
        maxOpen: 20,
      }),
    },
    endPairing: { '': { id: youngId('pair', 99), status: 'cancelled', error: null } },
    getPairing: { '': youngId('pair', 1) },
    hasFreePairing: { '': 'whatsapp' },
    listChangedPairings: { '': { accountId: ACCOUNT, sinceMs: 0 } },
    recordPairingStep: {
      '': { id: youngId('pair', 99), owner: 'host_bench', status: 'waiting', step: null, expiresAt: null },
    },
    renewPairings: { '': { owner: 'host_bench', ids: many(20, n => youngId('pair', n)), ...TTL } },
  },
  platformVersions: {
    forgetVersion: { '': { platform: 'whatsapp', revision: 1 } },
    keepVersion: {
      '': {
        platform: 'whatsapp',
        revision: 1,
        source: 'built_in',
        learntAtMs: NOW,
        confirmedAtMs: null,
        expiresAtMs: null,
      },
    },
    listVersions: { '': undefined },
    readVersion: { '': 'whatsapp' },
  },
  replays: {
    advanceReplay: { '': { id: oldId('rpl', 0), limit: 100 } },
    cancelReplay: { '': oldId('rpl', 1) },
    countReplayable: {
      dead: { accountId: ACCOUNT, filter: 'dead', sinceMs: 0, untilMs: NOW },
      failed: { accountId: ACCOUNT, filter: 'failed', sinceMs: 0, untilMs: NOW },
    },
    createReplay: {
      dead: () => ({
        id: fresh('rpl'),
        accountId: ACCOUNT,
        webhookId: webhookId(1),
        filter: 'dead',
        sinceMs: 0,
        untilMs: NOW,
      }),
      failed: () => ({
        id: fresh('rpl'),
        accountId: ACCOUNT,
        webhookId: webhookId(1),
        filter: 'failed',
        sinceMs: 0,
        untilMs: NOW,
      }),
    },
    getReplay: { '': oldId('rpl', 1) },
    listRunningReplays: { '': undefined },
    readReplayOutcome: {
      '': {
        id: youngId('rpl', 0),
        accountId: ACCOUNT,
        webhookId: WEBHOOK,
        filter: 'dead',
        delivered: 0,
        failed: 0,
        createdAt: YOUNG_MS - 1,
      },
    },
  },
  requests: {
    addRequest: {
      '': () => ({
        id: fresh('req'),
        to: { kind: 'session', sessionId: NUMBER, accountId: ACCOUNT },
        kind: 'check',
        sealed: bytes(100),
        timeoutMs: 10_000,
      }),
    },
    answerRequest: { '': () => ({ id: fresh('req'), sealed: bytes(100) }) },
    endRequest: { '': { lease: LEASE, id: oldId('req', 1) } },
    hasSandboxRequests: { '': undefined },
    readAnswer: { '': oldId('req', 1) },
    readPairingRequests: { '': { pairingIds: many(100, n => youngId('pair', n)) } },
    readRequests: { '': { sessionId: NUMBER, exceptIds: many(100, n => oldId('req', n)) } },
    readUnhostedRequests: { '': undefined },
    takeSandboxRequests: { '': { lease: LEASE, limit: 100 } },
  },
  resealing: {
    readSealedUnder: Object.fromEntries(
      SEALED_COLUMNS.map(column => [
        `${column.table}.${column.column}`,
        { column, keyIds: [bytes(4)], after: null, limit: 200 },
      ]),
    ),
    replaceSealed: {
      '': {
        column: SEALED_COLUMNS.find(({ table }) => table === 'events'),
        rows: many(100, n => ({ row: { id: youngId('evt', n), sealed: bytes(100) }, sealed: bytes(100) })),
      },
    },
  },
  retention: {
    dropExpired: { '': undefined },
    dropExpiredHistory: { '': { afterAccountId: '', accounts: 20 } },
    dropExpiredHosting: { '': undefined },
    dropExpiredRows: {
      inbox: { what: 'inbox', sessionId: NUMBER, throughMs: NOW },
      seen: { what: 'seen', sessionId: NUMBER, throughMs: NOW },
      own: { what: 'own', sessionId: NUMBER, throughMs: NOW },
    },
    dropMessages: { '': { afterId: '' } },
    dropMeters: { '': { afterId: '' } },
    readExpiredRows: { '': { afterSessionId: '', owner: 'host_bench' } },
  },
  sessions: {
    addSubscription: { '': { sessionId: NUMBER, contactJid: '1@s.whatsapp.net' } },
    clearNumber: { '': { sessionId: NUMBER, accountId: ACCOUNT, detail: 'd' } },
    countNumbers: { '': { accountId: ACCOUNT, platform: 'whatsapp' } },
    countNumbersByState: { '': undefined },
    forgetSession: { 'once it is cleared': { sessionId: sessionId(1), accountId: ACCOUNT, detail: 'd' } },
    getSession: { '': NUMBER },
    listSessions: {
      '': { accountId: ACCOUNT, sessionIds: null, ...page },
      'those of a key': { accountId: ACCOUNT, sessionIds: many(1_000, n => sessionId(1_000 + n)), ...page },
    },
    readSubscriptions: { '': NUMBER },
    recordLink: {
      '': () => ({
        lease: LEASE,
        memory: { state: 'connected', downSince: null, reported: 'connected' },
        trouble: null,
        event: event(0),
      }),
    },
    registerSession: {
      'from another account, once it is cleared': {
        accountId: accountId(1),
        id: sessionId(1),
        phone: '',
        device: 1,
        label: '',
        platform: 'whatsapp',
        maxSessions: null,
      },
    },
    capNewChats: {
      '': () => ({
        lease: LEASE,
        cap: { status: 'capped', limit: 50, used: 50, untilMs: NOW, asOfMs: NOW },
        event: event(0),
      }),
    },
    countHealth: { '': { sessionId: NUMBER, accountId: ACCOUNT, nowMs: NOW } },
    recordRefusal: { '': { lease: LEASE, code: 463 } },
    restrictSession: {
      '': () => ({
        lease: LEASE,
        restriction: { untilMs: NOW, type: 'restrict_all_companions' },
        event: event(0),
      }),
    },
    updateSession: { '': { id: NUMBER, accountId: ACCOUNT, label: 'l' } },
  },
  settings: {
    changeSetting: { '': { name: 'a', from: 'b', to: 'c' } },
    getSetting: { '': 'key_check' },
    initSetting: { '': { name: 'a', value: 'b' } },
  },
  shards: {
    leaveShards: { '': { owner: 'host_bench', leases: [], forGood: true } },
    rebalanceShards: { '': { id: 'dispatcher_bench', nodeId: 'node_1', lastsMs: 75_000 } },
  },
  simulator: {
    publishSimulator: {
      '': { lease: LEASE, address: { url: '', rootKey: bytes(32), mediaCa: '', mediaHost: '' } },
    },
    readSandboxPayload: { '': { eventId: youngId('evt', 1), deliveryId: youngId('dlv', 1) } },
    readSimulatorAddress: { '': undefined },
    readSimulatorEntries: { '': { after: '', limit: 200 } },
    saveSimulatorEntries: {
      '': { lease: LEASE, entries: many(500, n => ({ key: `entry-${n}`, sealed: bytes(300) })) },
    },
    watchSandbox: { '': { sessionId: NUMBER, forMs: 1_000 } },
  },
  traces: {
    keepTrace: { '': () => many(BATCH, () => ({ id: fresh('msg'), traceparent: '00-0-0-01', fromMs: null })) },
    readTraces: { '': many(BATCH, n => youngId('msg', n)) },
  },
  uploads: {
    abandonUpload: { '': { id: upload(3), bytes: 1_000 } },
    addUploadPart: { '': () => ({ id: upload(5), part: fresh('part'), sealed: bytes(262_000) }) },
    beginUpload: { '': () => ({ id: fresh('upload'), accountId: ACCOUNT, mimeType: 'image/jpeg', bytes: 100 }) },
    findUpload: { '': { id: upload(1), sessionId: NUMBER } },
    finishUpload: { '': { id: upload(7), bytes: 100, parts: 1 } },
    prolongUpload: { '': { id: upload(1), accountId: ACCOUNT, sessionId: NUMBER, sendAt: null } },
    readUploadPart: { '': { id: upload(1), part: '0000' } },
  },
  movedNumbers: {
    beginImport: { '': arriving },
    clearForImport: { '': { sessionId: NUMBER, importId: 'imp_bench' } },
    countWaitingCommands: { '': NUMBER },
    dropAbandonedImport: { '': undefined },
    dropImport: { '': { sessionId: NUMBER, importId: 'imp_bench' } },
    failSomeWaiting: { '': { sessionId: NUMBER, detail: 'moved' } },
    finishImport: {
      '': () => ({ ...arriving(), phone: '15550000001', device: 1, label: '', settings: { appear: 'auto' } }),
    },
    renewImport: { '': { sessionId: NUMBER, importId: 'imp_bench' } },
    listNumberTables: { '': undefined },
    readMovedNumber: { '': NUMBER },
    readNumberRows: { '': { table: DEVICE_KEYS, sessionId: NUMBER, after: null } },
    readNumberSettings: { '': NUMBER },
    stopForMove: {
      'once its messages have failed': () => ({
        sessionId: sessionId(1),
        failWaiting: true,
        reason: 'moved',
        paused: false,
        event: event(0),
      }),
    },
    takeBackNumber: { '': NUMBER },
    writeImported: {
      '': () => ({
        sessionId: NUMBER,
        importId: 'imp_bench',
        table: 'device_keys',
        rows: many(500, n => ({ category: 'session', id: `k${n}`, sealed: bytes(300) })),
      }),
    },
  },
  usage: {
    foldUsage: { '': undefined },
    readStats: { '': { accountId: ACCOUNT, fromMs: NOW - 31 * 86_400_000, bucketMs: 86_400_000 } },
    readUsage: { '': { accountId: ACCOUNT, from: '2010-01-01', to: '2030-01-01' } },
  },
  users: {
    changeEmail: { '': { userId: oldId('usr', 1), email: 'x@example.com' } },
    changePassword: { '': { userId: oldId('usr', 1), passwordHash: 'h', keepTokenHash: null } },
    createPortalSession: { '': () => ({ tokenHash: hash(fresh('t')), userId: oldId('usr', 1), lifetimeMs: 1_000 }) },
    createSignInLink: { '': () => ({ tokenHash: hash(fresh('t')), userId: oldId('usr', 1), lifetimeMs: 1_000 }) },
    endPortalSession: { '': hash(1) },
    endPortalSessions: { '': { userId: oldId('usr', 1), keepTokenHash: null } },
    findOperator: { '': undefined },
    findPortalSession: { '': hash(1) },
    findUserByEmail: { '': 'u1@example.com' },
    findUserOfAccount: { '': ACCOUNT },
    takeSignInLink: { '': hash(1) },
  },
  webhooks: {
    createWebhook: {
      '': () => ({
        id: fresh('wh'),
        accountId: ACCOUNT,
        sessionId: fresh('s'),
        phone: '',
        urls: { messages: '', status: '', connection: '', events: '' },
        sealedSecret: bytes(48),
      }),
    },
    deleteWebhook: { '': WEBHOOK },
    getWebhook: { '': WEBHOOK },
    getWebhookSecrets: { '': WEBHOOK },
    listWebhooks: {
      '': { accountId: ACCOUNT, sessionIds: null, ...page },
      'those of a key': { accountId: ACCOUNT, sessionIds: many(1_000, n => sessionId(1_000 + n)), ...page },
    },
    readCurrentWebhooks: { '': [WEBHOOK] },
    rotateWebhookSecret: { '': { id: WEBHOOK, sealedSecret: bytes(48), overlapMs: 1_000 } },
    updateWebhook: { '': { id: WEBHOOK, urls: { messages: '' } } },
  },
}
