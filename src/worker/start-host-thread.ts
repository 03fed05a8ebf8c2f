import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { HostIdentity } from '../store/hosting/hosting.ts'
import { bundledThread } from '../runtime/package-folder.ts'
import { HostCounters } from './host-counters.ts'
import type { FromHost, HostStart, MetricSums, ToHost } from './host-protocol.ts'
import { hostConfigOf } from './deps.ts'

export const startHostThread = (context: Context, identity: HostIdentity): RunningHost =>
  new HostThread(context, identity)

/** A host in a separate thread. */
class HostThread implements RunningHost {
  readonly ended: Promise<void>
  readonly #counters: HostCounters
  readonly #thread: Worker
  #isReady = false
  #isStopping = false

  constructor(context: Context, identity: HostIdentity) {
    this.#counters = new HostCounters(context.metrics, identity.platform)
    this.#thread = startThread(context, identity)
    this.#thread.on('message', (message: FromHost) => {
      if ('ready' in message) this.#isReady = true
      else this.#addUp(message)
    })
    this.ended = new Promise((resolve, reject) => {
      this.#thread.once('error', reject)
      this.#thread.once('exit', code => {
        this.#counters.end()
        if (this.#isStopping && code === 0) resolve()
        else reject(new Error(`the host's thread ended with code ${code}`))
      })
    })
  }

  isReady(): boolean {
    return this.#isReady
  }

  stop(): void {
    this.#isStopping = true
    this.#thread.postMessage({ stop: true } satisfies ToHost)
  }

  #addUp(sums: MetricSums): void {
    for (const sum of sums.stanzas) this.#counters.stanza(...sum)
    for (const sum of sums.commands) this.#counters.command(...sum)
    for (const sum of sums.held) this.#counters.held(...sum)
    for (const sum of sums.links) this.#counters.link(...sum)
    for (const sum of sums.flags) this.#counters.flag(...sum)
    for (const sum of sums.addressed) this.#counters.addressed(...sum)
    for (const sum of sums.errors) this.#counters.error(...sum)
    if (sums.sessions !== null) this.#counters.sessions(...sums.sessions)
  }
}

/**
 * Half of the default. A history of 50,000 people takes at most 160 MB more memory while it is read, instead of 190, in
 * no more time.
 */
const YOUNG_MB = 24

function startThread(context: Context, identity: HostIdentity): Worker {
  const store = context.store.attach()
  const start: HostStart = {
    identity,
    store,
    secretKeys: context.config.secretKeys,
    platformIdKey: context.platformIds.key,
    config: hostConfigOf(context.config),
  }
  const thread = new Worker(bundledThread('host-thread'), {
    workerData: start,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    transferList: [store.port],
    // Libraries may print keys there, so the output is discarded.
    stdout: true,
    stderr: true,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  return thread
}

/** A running host, in a separate thread or in this one. */
export interface RunningHost {
  /** Resolves when it was stopped; rejects when it failed. */
  readonly ended: Promise<void>
  isReady(): boolean
  stop(): void
}
