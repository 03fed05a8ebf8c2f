import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { HostIdentity } from '../store/units/hosting/hosting.ts'
import { compiledThread } from '../thread.ts'
import type { FromHost, HostStart, MetricSums, ToHost } from './host-protocol.ts'
import type { HostConfig } from './parts.ts'
import { reasonLabel } from './reason-label.ts'
import type { RunningHost } from './running-host.ts'

export const startHostThread = (context: Context, identity: HostIdentity): RunningHost =>
  new HostThread(context, identity)

/** A host in a thread of its own. */
class HostThread implements RunningHost {
  readonly ended: Promise<void>
  readonly #context: Context
  readonly #identity: HostIdentity
  readonly #thread: Worker
  #isReady = false
  #isStopping = false

  constructor(context: Context, identity: HostIdentity) {
    this.#context = context
    this.#identity = identity
    this.#thread = startThread(context, identity)
    this.#thread.on('message', (message: FromHost) => {
      if ('ready' in message) this.#isReady = true
      else this.#addUp(message)
    })
    this.ended = new Promise((resolve, reject) => {
      this.#thread.once('error', reject)
      this.#thread.once('exit', code => {
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
    const { metrics } = this.#context
    const { platform } = this.#identity
    for (const [outcome, reason, n] of sums.stanzas) metrics.stanzas.inc({ outcome, reason: reasonLabel(reason) }, n)
    for (const [kind, outcome, n] of sums.commands) metrics.commands.inc({ kind, outcome }, n)
    for (const [change, n] of sums.links) metrics.links.inc({ platform, change }, n)
    for (const [state, n] of Object.entries(sums.sessions ?? {})) metrics.sessions.set({ platform, state }, n)
  }
}

function startThread(context: Context, identity: HostIdentity): Worker {
  const store = context.store.attach()
  const { secretKeys } = context.config
  const start: HostStart = { identity, store, secretKeys, config: hostConfigOf(context.config) }
  const thread = new Worker(compiledThread('worker/host-thread'), {
    workerData: start,
    transferList: store.kind === 'sqlite' ? [store.port] : [],
    // What libraries print there is nobody's to read: it may hold keys.
    stdout: true,
    stderr: true,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  return thread
}

/** Only what a host needs: the rest holds secrets. */
const hostConfigOf = (config: HostConfig): HostConfig => ({
  leaseTtlMs: config.leaseTtlMs,
  disconnectGraceMs: config.disconnectGraceMs,
  ackTimeoutMs: config.ackTimeoutMs,
  sendRetryDelaysMs: config.sendRetryDelaysMs,
  allowedTargets: config.allowedTargets,
  mode: config.mode,
  publicUrl: config.publicUrl,
  logLevel: config.logLevel,
})
