import type { Context } from '../context.ts'
import type { Answer } from '../domain/request.ts'
import type { SandboxRequest } from '../domain/sandbox.ts'
import { aboutAnswer, aboutRequest } from '../domain/sealed.ts'
import { WakeUp } from '../store/wake-up.ts'
import { act } from './control-actions.ts'
import { conditionsOf } from './control-conditions.ts'
import { receive } from './control-incoming.ts'
import { listMessages } from './control-messages.ts'
import { Refused } from '@postern/simulator/refused'
import type { Simulator } from '@postern/simulator'

const LOOK_MS = 500
const AT_ONCE = 64

type Parts = Pick<Context, 'store' | 'seal' | 'log' | 'clock'>

/** Does what customers ask of the sandbox, until told to stop. Requests come through the store, as from anywhere. */
export async function runControl(parts: Parts, simulator: Simulator, signal: AbortSignal): Promise<void> {
  const { store, log } = parts
  const wakeUp = new WakeUp(parts, ['sandbox_requests'])
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    try {
      const taken = (await store.requests.hasSandboxRequests())
        ? await store.requests.takeSandboxRequests({ limit: AT_ONCE })
        : []
      for (const request of taken) {
        const done = answer(parts, simulator, request).finally(() => running.delete(done))
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
  simulator: Simulator,
  { id, sealed }: { id: string; sealed: Uint8Array },
): Promise<void> {
  try {
    const request = seal.openJson<SandboxRequest>(sealed, aboutRequest(id))
    const answer = await perform(simulator, request).catch((error: unknown): Answer<never> => {
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

/** Rejects with `Refused` where the request cannot be done. What it makes is of whoever has the number. */
export async function perform(simulator: Simulator, request: SandboxRequest): Promise<Answer<unknown>> {
  return await simulator.onBehalfOf(request.phone, () => performAny(simulator, request))
}

async function performAny(simulator: Simulator, request: SandboxRequest): Promise<Answer<unknown>> {
  switch (request.kind) {
    case 'incoming':
      return { ok: true, value: await receive(simulator, request.phone, request.incoming) }
    case 'action':
      return { ok: true, value: await act(simulator, request.phone, request.action) }
    case 'messages':
      return { ok: true, value: await listMessages(simulator, request) }
    case 'conditions':
      return { ok: true, value: conditionsOf(simulator, request.phone, request.contact) }
    case 'link':
      await link(simulator, request)
      return { ok: true, value: {} }
    default: {
      const never: never = request
      return never
    }
  }
}

/** The number's own phone scans what a new device shows, or its owner types it. */
async function link(
  simulator: Simulator,
  { phone, accountId, qr, code }: { phone: string; accountId?: string; qr?: string; code?: string },
): Promise<void> {
  if (qr !== undefined) await simulator.linkByQr(qr, phone)
  else if (code !== undefined) await simulator.linkByCode(phone, code)
  if (accountId !== undefined) simulator.giveTo(accountId, phone)
}
