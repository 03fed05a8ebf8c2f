import { Refused } from '@postern/simulator/refused'
import type { Context } from '../context.ts'
import type { Answer } from '../domain/request.ts'
import type { SandboxRequest } from '../domain/sandbox.ts'
import { aboutAnswer, aboutRequest } from '../domain/sealed.ts'
import { WakeUp } from '../store/wake-up.ts'
import { perform } from './perform.ts'
import type { Sandbox } from './sandbox.ts'

const LOOK_MS = 500
const AT_ONCE = 64

type Parts = Pick<Context, 'store' | 'seal' | 'log' | 'clock'>

/** Does what customers ask of the sandbox, until told to stop. Requests come through the store, as from anywhere. */
export async function runControl(parts: Parts, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const { store, log } = parts
  const wakeUp = new WakeUp(parts, ['sandbox_requests'])
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    try {
      const taken = (await store.requests.hasSandboxRequests())
        ? await store.requests.takeSandboxRequests({ limit: AT_ONCE })
        : []
      for (const request of taken) {
        const done = answer(parts, sandbox, request).finally(() => running.delete(done))
        running.add(done)
      }
      if (taken.length === AT_ONCE) continue
    } catch (error) {
      log.warn({ err: error }, 'sandbox.requests_unread')
    }
    await wakeUp.sleep(LOOK_MS, signal)
  }
  wakeUp.stop()
  await Promise.all(running)
}

async function answer(
  { store, seal, log }: Parts,
  sandbox: Sandbox,
  { id, sealed }: { id: string; sealed: Uint8Array },
): Promise<void> {
  try {
    const request = seal.openJson<SandboxRequest>(sealed, aboutRequest(id))
    const answer = await perform(sandbox, request).catch((error: unknown): Answer<never> => {
      const detail = (error as Error).message
      if (error instanceof Refused) return { ok: false, failure: { kind: 'permanent', reason: 'SEND_FAILED', detail } }
      log.error({ err: error, kind: request.kind }, 'sandbox.request_failed')
      return { ok: false, failure: { kind: 'transient', detail } }
    })
    await store.requests.answerRequest({ id, sealed: seal.sealJson(answer, aboutAnswer(id)) })
  } catch (error) {
    log.error({ err: error }, 'sandbox.request_unanswered')
  }
}
