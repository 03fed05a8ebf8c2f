/**
 * The measured figures: `must` is the required value, `aim` the desired one. `more` means that more is
 * better. A figure without them is information: it depends on the machine more than on the gateway.
 */
export const FIGURES = {
  'floor-accept-embedded': { what: 'accept, embedded / durable floor', must: 2, aim: 1.8, more: false },
  'floor-accept-postgres': { what: 'accept, PostgreSQL / durable floor', must: 2.2, aim: 2, more: false },
  'floor-deliver-embedded': { what: 'deliver, embedded / durable floor', must: 2.3, aim: 2, more: false },
  'floor-deliver-postgres': { what: 'deliver, PostgreSQL / durable floor', must: 2.3, aim: 2, more: false },
  'thin-send': { what: 'a send with its webhooks / thin gateway', must: 1.5, aim: 1, more: false },
  'thin-arrivals': { what: 'arrivals a second / thin gateway', must: 1, aim: 1.5, more: true },
  'thin-receive': { what: 'an incoming message / thin gateway', must: 1.5, aim: 1, more: false },
  'thin-start': { what: 'start to ready / thin gateway', must: 1.5, aim: 1.2, more: false },
  'accept-embedded': { what: 'accept, embedded / bare Fastify' },
  'accept-postgres': { what: 'accept, PostgreSQL / bare Fastify' },
  'deliver-embedded': { what: 'deliver flow, embedded / bare undici' },
  'deliver-postgres': { what: 'deliver flow, PostgreSQL / bare undici' },
  'latency-embedded': { what: 'commit to request at half load, p99, embedded (ms)', must: 15, aim: 8, more: false },
  'latency-postgres': { what: 'commit to request at half load, p99, PostgreSQL (ms)', must: 40, aim: 20, more: false },
  'stored-accept-embedded': { what: 'accept at 1 M stored / when empty, embedded', must: 0.85, aim: 0.95, more: true },
  'stored-accept-postgres': {
    what: 'accept at 1 M stored / when empty, PostgreSQL',
    must: 0.85,
    aim: 0.95,
    more: true,
  },
  'stored-deliver-embedded': {
    what: 'deliver at 1 M stored / when empty, embedded',
    must: 0.9,
    aim: 0.95,
    more: true,
  },
  'stored-deliver-postgres': {
    what: 'deliver at 1 M stored / when empty, PostgreSQL',
    must: 0.9,
    aim: 0.95,
    more: true,
  },
  'api-log-embedded': {
    what: 'processor time of an accept with the API log / without, embedded',
    must: 1.03,
    aim: 1.01,
    more: false,
  },
  'api-log-postgres': {
    what: 'processor time of an accept with the API log / without, PostgreSQL',
    must: 1.03,
    aim: 1.01,
    more: false,
  },
  'send-engine': { what: 'send / bare engine', must: 1.3, aim: 1.45, more: true },
  'api-busy': { what: 'API p99 while 20 numbers send / idle', must: 2, aim: 1.5, more: false },
  'idle-number': { what: 'an idle number / bare engine', must: 1.2, aim: 1, more: false },
  'large-document': { what: 'a document of 1 GiB: more resident memory (MiB)', must: 150, aim: 75, more: false },
  restart: { what: 'restart with 1,000 numbers: all linked (s)', must: 60, aim: 30, more: false },
  'rival-graphile-worker': { what: 'the same job / on graphile-worker', must: 1, aim: 2, more: true },
  'rival-pg-boss': { what: 'the same job / on pg-boss', must: 1, aim: 2, more: true },
  'rival-bullmq': { what: 'the same job / on BullMQ with Redis', must: 1, aim: 2, more: true },
}
