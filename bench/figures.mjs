/**
 * The measured figures: `must` is the required value, `aim` the desired one. `more` means that more is
 * better.
 */
export const FIGURES = {
  'accept-embedded': { what: 'accept, embedded / bare Fastify', must: 0.58, aim: 0.65, more: true },
  'accept-postgres': { what: 'accept, PostgreSQL / bare Fastify', must: 0.38, aim: 0.45, more: true },
  'deliver-embedded': { what: 'deliver flow, embedded / bare undici', must: 0.5, aim: 0.6, more: true },
  'deliver-postgres': { what: 'deliver flow, PostgreSQL / bare undici', must: 0.38, aim: 0.45, more: true },
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
    must: 0.85,
    aim: 0.95,
    more: true,
  },
  'stored-deliver-postgres': {
    what: 'deliver at 1 M stored / when empty, PostgreSQL',
    must: 0.85,
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
