import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { type Collector, startCollector } from '../../../test/harness/otlp-collector.ts'
import { until } from '../../../test/harness/until.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { tracingSettings } from './settings.ts'
import { openTracing } from './open-tracing.ts'

const collectors: Collector[] = []
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.close()
})

async function open(url: string, env: Record<string, string> = {}, clock: Clock = systemClock) {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(line) })
  const config = tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env })
  const tracing = (await openTracing(config, { clock, log, instance: 'node_1' }))!
  return { tracing, lines }
}

async function collect(status?: number | null): Promise<Collector> {
  const collector = await startCollector(status)
  collectors.push(collector)
  return collector
}

it('without a collector there is no tracing', async () => {
  expect(await openTracing(null, { clock: systemClock, log: pino({ enabled: false }), instance: '' })).toBeNull()
})

it('a collector that never answers costs a bounded number of spans, and closing does not wait for it', async () => {
  const collector = await collect(null)
  const asleep: Array<{ ms: number; wake: () => void }> = []
  const sleep = (ms: number): Promise<void> => new Promise(wake => asleep.push({ ms, wake }))
  const { tracing } = await open(collector.url, {}, { ...systemClock, sleep })
  for (let i = 0; i < 10_000; i++) tracing.begin({ name: 'work' }).end()
  await until(() => collector.spans.length > 0)
  for (let i = 0; i < 10_000; i++) tracing.begin({ name: 'work' }).end()
  const closing = tracing.close()
  expect(asleep.map(({ ms }) => ms)).toEqual([2_000])
  asleep[0]!.wake()
  await closing
  expect(collector.spans.length).toBeLessThanOrEqual(2_048 + 512)
})

it('a collector that rejects spans is logged once, with the code alone', async () => {
  const collector = await collect(400)
  const { tracing, lines } = await open(collector.url, { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=sesame' })
  tracing.begin({ name: 'work' }).end()
  await until(() => lines.length > 0)
  tracing.begin({ name: 'work' }).end()
  await tracing.close()
  expect(collector.spans).toHaveLength(2)
  expect(lines.map(line => JSON.parse(line) as unknown)).toMatchObject([{ msg: 'traces.lost', spans: 1, code: 400 }])
  expect(lines.join('')).not.toMatch(/sesame|127\.0\.0\.1/)
})

it.each([
  { sampler: 'always_off', parent: '01', taken: 0 },
  { sampler: 'parentbased_always_on', parent: '00', taken: 0 },
  { sampler: 'parentbased_always_off', parent: '01', taken: 1 },
  { sampler: 'always_on', parent: '00', taken: 1 },
])('$sampler with the parent $parent samples: $taken', async ({ sampler, parent, taken }) => {
  const collector = await collect()
  const { tracing } = await open(collector.url, { OTEL_TRACES_SAMPLER: sampler })
  const span = tracing.begin({ name: 'work', parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${parent}` })
  expect(span.traceparent).toMatch(new RegExp(`^00-a{32}-[0-9a-f]{16}-0${taken}$`))
  span.end()
  await tracing.close()
  expect(collector.spans).toHaveLength(taken)
})
