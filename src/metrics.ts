import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What `/metrics` shows. One registry for each context, so that two gateways in one process do not mix. */
export function makeMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    ...ofProcess(registers),
    ...ofRequests(registers),
    ...ofSessions(registers),
    ...ofDeliveries(registers),
  }
}

const ofProcess = (registers: Registry[]) => ({
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

const ofSessions = (registers: Registry[]) => ({
  stanzas: new Counter({
    name: 'postern_stanzas_total',
    help: 'Incoming stanzas by what became of them.',
    labelNames: ['outcome', 'reason'],
    registers,
  }),
  commands: new Counter({
    name: 'postern_commands_total',
    help: 'Commands run for sessions.',
    labelNames: ['kind', 'outcome'],
    registers,
  }),
  links: new Counter({
    name: 'postern_link_changes_total',
    help: 'Links of numbers that came up, went down or ended, by platform and how.',
    labelNames: ['platform', 'change'],
    registers,
  }),
  addressed: new Counter({
    name: 'postern_direct_messages_total',
    help: 'Direct messages by the kind of name that they went by, and what became of them.',
    labelNames: ['addressing', 'outcome'],
    registers,
  }),
  sessions: new Gauge({
    name: 'postern_sessions',
    help: 'Sessions hosted here by platform and state.',
    labelNames: ['platform', 'state'],
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
  attempts: new Counter({
    name: 'postern_delivery_attempts_total',
    help: 'Webhook attempts by outcome.',
    labelNames: ['outcome'],
    registers,
  }),
  deadLettersDropped: new Counter({
    name: 'postern_dead_letters_dropped_total',
    help: 'Dead letters of an account that went before their time, because of their number or size.',
    labelNames: ['because'],
    registers,
  }),
  oldestDueSeconds: new Gauge({
    name: 'postern_oldest_due_seconds',
    help: 'Age of the oldest delivery that is due in the shards of this dispatcher, slow endpoints included.',
    registers,
  }),
})

export type Metrics = ReturnType<typeof makeMetrics>
