import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import type { PlatformName } from '../domain/session.ts'
import type { HostIdentity } from '../store/units/hosting/hosting.ts'
import { compiledThread } from '../thread.ts'
import type { FromHost, HostStart, ToHost } from './host-protocol.ts'
import { reasonLabel } from './reason-label.ts'
import type { RunningHost } from './running-host.ts'

/** Starts a host in a thread of its own and watches over it. */
export function startHostThread(context: Context, identity: HostIdentity): RunningHost {
  const store = context.store.attach()
  const start: HostStart = {
    identity,
    store,
    secretKeys: context.config.secretKeys,
    config: {
      leaseTtlMs: context.config.leaseTtlMs,
      disconnectGraceMs: context.config.disconnectGraceMs,
      ackTimeoutMs: context.config.ackTimeoutMs,
      sendRetryDelaysMs: context.config.sendRetryDelaysMs,
      allowedTargets: context.config.allowedTargets,
      mode: context.config.mode,
      publicUrl: context.config.publicUrl,
      logLevel: context.config.logLevel,
    },
  }
  const thread = new Worker(compiledThread('worker/host-thread'), {
    workerData: start,
    transferList: store.kind === 'sqlite' ? [store.port] : [],
    // What libraries print there is nobody's to read: it may hold keys.
    stdout: true,
    stderr: true,
  })
  thread.stdout.resume()
  thread.stderr.resume()
  let ready = false
  let stopping = false
  thread.on('message', (message: FromHost) => {
    if ('ready' in message) ready = true
    else addUp(context, identity.platform, message)
  })
  const ended = new Promise<void>((resolve, reject) => {
    thread.once('error', reject)
    thread.once('exit', code => {
      if (stopping && code === 0) resolve()
      else reject(new Error(`the host's thread ended with code ${code}`))
    })
  })
  return {
    ended,
    isReady: () => ready,
    stop: () => {
      stopping = true
      thread.postMessage({ stop: true } satisfies ToHost)
    },
  }
}

function addUp({ metrics }: Context, platform: PlatformName, sums: Exclude<FromHost, { ready: true }>): void {
  for (const [outcome, reason, n] of sums.stanzas) metrics.stanzas.inc({ outcome, reason: reasonLabel(reason) }, n)
  for (const [kind, outcome, n] of sums.commands) metrics.commands.inc({ kind, outcome }, n)
  for (const [state, n] of Object.entries(sums.sessions ?? {})) metrics.sessions.set({ platform, state }, n)
}
