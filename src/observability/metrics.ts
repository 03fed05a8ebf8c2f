import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { DEATH_REASONS, REPLY_STATUSES } from '../domain/delivery.ts'
import { FAILURE_REASONS } from '../domain/message.ts'
import { PLATFORM_FLAGS } from '../domain/platform-flags.ts'
import type { PlatformName, SessionState } from '../domain/session.ts'
import { withLoopDelays } from './loop-delays.ts'

/** The figures of a host of numbers. */
export interface HostFigures {
  readonly platform: PlatformName
  sessions: Partial<Record<SessionState, number>>
  /** The share of the last seconds in which its thread was busy. */
  busy: number
}

/** The content of `/metrics`. One registry for each context, so that two gateways in one process do not mix. */
export function makeMetrics() {
  const registry = new Registry()
  withLoopDelays(() => collectDefaultMetrics({ register: registry }))
  const registers = [registry]
  return {
    registry,
    ...ofProcess(registers),
    ...ofRequests(registers),
    ...ofSessions(registers),
    ...ofHosts(registers),
    ...ofNumbers(registers),
    ...ofDeliveries(registers),
    ...ofMedia(registers),
  }
}

/** Counters with alerts begin at 0: Prometheus sees no increase in a series that begins at 1. */
function beginAtZero<L extends string>(counter: Counter<L>, labels: Array<Record<L, string>>): Counter<L> {
  for (const each of labels) counter.inc(each as Record<L, string>, 0)
  return counter
}

const ofProcess = (registers: Registry[]) => ({
  info: new Gauge({
    name: 'postern_info',
    help: 'Version and roles of this process; always 1.',
    labelNames: ['version', 'roles'],
    registers,
  }),
  ready: new Gauge({
    name: 'postern_ready',
    help: 'Whether the database takes writes and each role of this process works, as /readyz says.',
    labelNames: ['check'],
    registers,
  }),
  databaseCheck: new Gauge({
    name: 'postern_database_check_seconds',
    help: 'How long the latest write took by which the database is checked.',
    registers,
  }),
  heapLimit: new Gauge({
    name: 'postern_heap_limit_bytes',
    help: 'How large the heap of the main thread may become before the process ends.',
    registers,
  }),
  memoryLimit: new Gauge({
    name: 'postern_memory_limit_bytes',
    help: 'Memory that the process may have: that of its container, else that of the machine.',
    registers,
  }),
  diskFree: new Gauge({
    name: 'postern_disk_free_bytes',
    help: 'Room on the disk of the data folder.',
    registers,
  }),
  diskSize: new Gauge({
    name: 'postern_disk_size_bytes',
    help: 'Size of the disk of the data folder.',
    registers,
  }),
  errors: new Counter({
    name: 'postern_errors_total',
    help: 'Lines of level error in the log, by their name.',
    labelNames: ['event'],
    registers,
  }),
  clockAhead: new Gauge({
    name: 'postern_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's; negative where it is behind.",
    registers,
  }),
})

const ofRequests = (registers: Registry[]) => ({
  requests: new Counter({
    name: 'postern_requests_total',
    help: 'HTTP requests by route and status.',
    labelNames: ['route', 'status'],
    registers,
  }),
  requestSeconds: new Histogram({
    name: 'postern_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  }),
  accepted: new Counter({
    name: 'postern_messages_accepted_total',
    help: 'Messages answered 202 for the first time.',
    registers,
  }),
})

const PLATFORMS: PlatformName[] = ['whatsapp', 'sandbox']

/** How links of numbers are established, dropped and ended. */
export const LINK_CHANGES = [
  'open',
  'failing',
  'lost',
  'proxy',
  'busy',
  'replaced',
  'paused',
  'refused',
  'outdated',
  'logged_out',
] as const

const ofSessions = (registers: Registry[]) => ({
  /** The reasons that stanzas are counted by. One with an alert has its name from the beginning. */
  stanzaReasons: new Set(['poison']),
  stanzas: beginAtZero(
    new Counter({
      name: 'postern_stanzas_total',
      help: 'Incoming stanzas by what became of them.',
      labelNames: ['outcome', 'reason'],
      registers,
    }),
    [{ outcome: 'dropped', reason: 'poison' }],
  ),
  commands: beginAtZero(
    new Counter({
      name: 'postern_commands_total',
      help: 'Commands run for sessions.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    ['sent', ...FAILURE_REASONS].map(outcome => ({ kind: 'send', outcome })),
  ),
  held: beginAtZero(
    new Counter({
      name: 'postern_messages_held_total',
      help: 'How often the messages to a chat had to wait because of the pace of their number.',
      labelNames: ['because'],
      registers,
    }),
    [{ because: 'new_contacts' }, { because: 'quiet_hours' }],
  ),
  links: beginAtZero(
    new Counter({
      name: 'postern_link_changes_total',
      help: 'Links of numbers that came up, went down or ended, by platform and how.',
      labelNames: ['platform', 'change'],
      registers,
    }),
    PLATFORMS.flatMap(platform => LINK_CHANGES.map(change => ({ platform, change }))),
  ),
  flags: beginAtZero(
    new Counter({
      name: 'postern_platform_flags_total',
      help: 'Changes of its protocol that the platform turned on for numbers, by their name.',
      labelNames: ['platform', 'flag'],
      registers,
    }),
    PLATFORMS.flatMap(platform => PLATFORM_FLAGS.map(flag => ({ platform, flag }))),
  ),
  addressed: beginAtZero(
    new Counter({
      name: 'postern_direct_messages_total',
      help: 'Direct messages by the kind of name that they went by, and what became of them.',
      labelNames: ['addressing', 'outcome'],
      registers,
    }),
    ['lid', 'pn'].flatMap(addressing =>
      ['sent', 'refused_463', 'refused_475'].map(outcome => ({ addressing, outcome })),
    ),
  ),
})

/** Sums over the hosts of this process, computed when `/metrics` is read. */
function ofHosts(registers: Registry[]) {
  const hosts = new Set<HostFigures>()
  return {
    hosts,
    sessions: new Gauge({
      name: 'postern_sessions',
      help: 'Sessions hosted here by platform and state.',
      labelNames: ['platform', 'state'],
      registers,
      collect() {
        this.reset()
        for (const { platform, sessions } of hosts)
          for (const [state, n] of Object.entries(sessions)) this.inc({ platform, state }, n)
      },
    }),
    hostBusy: new Gauge({
      name: 'postern_host_busy_ratio',
      help: 'The part of its time in which the busiest thread with numbers of a platform was at work.',
      labelNames: ['platform'],
      registers,
      collect() {
        this.reset()
        for (const platform of new Set([...hosts].map(host => host.platform)))
          this.set({ platform }, Math.max(...[...hosts].map(host => (host.platform === platform ? host.busy : 0))))
      },
    }),
  }
}

/** Gauges of the whole database, the same on every node. */
const ofNumbers = (registers: Registry[]) => ({
  numbers: new Gauge({
    name: 'postern_numbers',
    help: 'All numbers by platform, state, and whether a worker hosts them.',
    labelNames: ['platform', 'state', 'hosted'],
    registers,
  }),
  commandsDue: new Gauge({
    name: 'postern_commands_due',
    help: 'Sends, edits and revokes of all numbers that are due; 20,000 are looked at.',
    registers,
  }),
  oldestCommandSeconds: new Gauge({
    name: 'postern_oldest_command_due_seconds',
    help: 'For how long the oldest of them is due.',
    registers,
  }),
  versionInfo: new Gauge({
    name: 'postern_platform_version_info',
    help: 'Version of the web client as which numbers log in, and where it was learnt; always 1.',
    labelNames: ['version', 'source'],
    registers,
  }),
  versionAge: new Gauge({
    name: 'postern_platform_version_age_seconds',
    help: 'Time since that version became known here; of a built-in one, since its release.',
    labelNames: ['source'],
    registers,
  }),
})

const ofDeliveries = (registers: Registry[]) => ({
  attempts: beginAtZero(
    new Counter({
      name: 'postern_delivery_attempts_total',
      help: 'Webhook attempts by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    ['delivered', 'retry', 'dead', 'stale'].map(outcome => ({ outcome })),
  ),
  replies: beginAtZero(
    new Counter({
      name: 'postern_replies_total',
      help: 'Answers of endpoints to messages, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    REPLY_STATUSES.map(outcome => ({ outcome })),
  ),
  deliverySeconds: new Histogram({
    name: 'postern_delivery_seconds',
    help: 'Time that endpoints took to answer, or until the attempt was given up.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers,
  }),
  endpoints: new Gauge({
    name: 'postern_endpoints',
    help: 'Endpoints that this dispatcher delivers to now, and those that fail again and again.',
    labelNames: ['state'],
    registers,
  }),
  deadLetters: beginAtZero(
    new Counter({
      name: 'postern_dead_letters_total',
      help: 'Deliveries that were given up, by why.',
      labelNames: ['reason'],
      registers,
    }),
    DEATH_REASONS.map(reason => ({ reason })),
  ),
  mails: beginAtZero(
    new Counter({
      name: 'postern_mails_total',
      help: 'Mails about failing endpoints that this process tried to send.',
      labelNames: ['outcome'],
      registers,
    }),
    [{ outcome: 'sent' }, { outcome: 'failed' }],
  ),
  deadLettersDropped: beginAtZero(
    new Counter({
      name: 'postern_dead_letters_dropped_total',
      help: 'Dead letters of an account that went before their time, because of their number or size.',
      labelNames: ['because'],
      registers,
    }),
    [{ because: 'number' }, { because: 'size' }],
  ),
  oldestDueSeconds: new Gauge({
    name: 'postern_oldest_due_seconds',
    help: 'Age of the oldest delivery that is due in the shards of this dispatcher, slow endpoints included.',
    registers,
  }),
})

/** How the upload or download of a stored file ends. */
export const MEDIA_OUTCOMES = ['done', 'refused', 'broken_off', 'failed'] as const

const ofMedia = (registers: Registry[]) => ({
  mediaTransfers: beginAtZero(
    new Counter({
      name: 'postern_media_transfers_total',
      help: 'Uploads and downloads of stored files, by how they ended.',
      labelNames: ['direction', 'outcome'],
      registers,
    }),
    ['upload', 'download'].flatMap(direction => MEDIA_OUTCOMES.map(outcome => ({ direction, outcome }))),
  ),
  mediaTransferred: beginAtZero(
    new Counter({
      name: 'postern_media_transferred_bytes_total',
      help: 'Bytes of stored files whose upload or download is done.',
      labelNames: ['direction'],
      registers,
    }),
    [{ direction: 'upload' }, { direction: 'download' }],
  ),
  mediaFiles: new Gauge({
    name: 'postern_media_files',
    help: 'Stored files of all accounts, with those that are still with the platform.',
    registers,
  }),
  mediaBytes: new Gauge({
    name: 'postern_media_bytes',
    help: 'Bytes of the stored files of all accounts.',
    registers,
  }),
})

export type Metrics = ReturnType<typeof makeMetrics>
