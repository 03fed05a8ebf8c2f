import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../runtime/clock.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import { makeLog, countErrors } from '../observability/log.ts'
import { PlatformIds } from '../domain/platform-ids.ts'
import { openAttached } from '../store/open-attached.ts'
import { MediaFiles } from '../store/media/media-files.ts'
import { Seal } from '../store/seal.ts'
import { DatabaseClock } from '../runtime/database-clock.ts'
import { openTracing } from '../observability/tracing/open-tracing.ts'
import type { FromHost, HostStart, ToHost } from './host-protocol.ts'
import { Host } from './host.ts'
import { loadPlatform, watchSandbox } from './load-platform.ts'
import { MetricsRelay } from './metrics-relay.ts'
import type { HostDeps } from './deps.ts'

/** A host in a separate thread: it runs the numbers of one network. */
const start = workerData as HostStart
const stopping = new AbortController()
const EXIT_AFTER_MS = 100
const post = (message: FromHost): void => parentPort!.postMessage(message)

parentPort!.on('message', (message: ToHost) => {
  if (message.stop) stopping.abort()
})

async function main(): Promise<void> {
  const clock = new DatabaseClock(systemClock)
  const store = await openAttached(start.store, clock)
  const metrics = new MetricsRelay(post)
  const log = countErrors(makeLog(start.config.logLevel, start.config.logFormat), event => metrics.error(event))
  const tracing = await openTracing(start.config.tracing, { clock, log, instance: start.identity.id })
  const deps: HostDeps = {
    store,
    log,
    tracing,
    mediaFiles: new MediaFiles(start.config, store),
    seal: new Seal(start.secretKeys.map(key => Buffer.from(key))),
    platformIds: new PlatformIds(start.platformIdKey),
    clock,
    config: start.config,
    metrics,
  }
  const { platform: name } = start.identity
  const suspects = new Semaphore(1)
  const platform = await loadPlatform(deps, name, suspects, stopping.signal)
  const host = new Host({ ...deps, platform, suspects, identity: start.identity })
  const running = host.run(stopping.signal)
  post({ ready: true })
  if (name === 'sandbox') await Promise.race([running, watchSandbox(deps, stopping.signal)])
  await running
  metrics.flush()
  await tracing?.close()
  await store.close()
  parentPort!.close()
  // Timers that the engine leaves behind would delay the end of the thread, and with it a shutdown.
  setTimeout(() => process.exit(0), EXIT_AFTER_MS)
}

main().catch((error: unknown) => {
  if (stopping.signal.aborted) process.exit(0)
  // The thread that started this one logs the error.
  setImmediate(() => {
    throw error
  })
})
