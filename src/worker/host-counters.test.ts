import { expect, it } from 'vitest'
import { makeMetrics } from '../observability/metrics.ts'
import { HostCounters } from './host-counters.ts'

const counts = (connected: number) => ({ connecting: 0, connected, disconnected: 0, logged_out: 0 })

it('numbers of all hosts of a platform are added up, the busiest thread counts, and a host that is gone counts no more', async () => {
  const metrics = makeMetrics()
  const shown = async () => {
    const text = await metrics.registry.metrics()
    return [/^postern_sessions\{.*"sandbox",state="connected"\} (.*)$/m, /^postern_host_busy_ratio\{.*\} (.*)$/m].map(
      pattern => pattern.exec(text)?.[1],
    )
  }
  const [first, second] = [new HostCounters(metrics, 'sandbox'), new HostCounters(metrics, 'sandbox')]
  first.sessions(counts(2), 0.5)
  second.sessions(counts(3), 0.25)
  expect(await shown()).toEqual(['5', '0.5'])
  first.end()
  expect(await shown()).toEqual(['3', '0.25'])
  second.end()
  expect(await shown()).toEqual([undefined, undefined])
})
