import type { Context } from '../context.ts'
import { GatewayError, invalid } from '../domain/errors.ts'
import { makeId } from '../domain/ids.ts'
import type { SandboxAnswer, SandboxRequest } from '../domain/sandbox.ts'
import { aboutSimulatorRequest, aboutSimulatorAnswer } from '../domain/sealed.ts'
import { listenForAnswer } from './await-answer.ts'

const TIMEOUT_MS = 10_000

/** Has the sandbox network do something, after whatever it was asked for before; nobody waits for it. */
export async function tellSimulator(
  parts: Pick<Context, 'store' | 'seal' | 'clock'>,
  request: SandboxRequest,
): Promise<void> {
  await ask(parts, makeId('cmd'), request)
}

async function ask({ store, seal }: Pick<Context, 'store' | 'seal' | 'clock'>, id: string, request: SandboxRequest) {
  await store.sandbox.askSimulator({
    id,
    sealed: seal.sealJson(request, aboutSimulatorRequest(id)),
    timeoutMs: TIMEOUT_MS,
  })
}

/** Has the sandbox network do something, wherever it runs, and answers what came of it. */
export async function callSimulator<T>(
  parts: Pick<Context, 'store' | 'seal' | 'clock'>,
  request: SandboxRequest,
  signal?: AbortSignal,
): Promise<T> {
  const id = makeId('cmd')
  const answered = listenForAnswer(parts, id)
  await ask(parts, id, request)
  const body = await answered(TIMEOUT_MS, signal)
  if (body === undefined) {
    throw new GatewayError(
      'unavailable',
      'the sandbox network does not answer; a process with the simulator role must run',
    )
  }
  const answer = parts.seal.openJson<SandboxAnswer>(Buffer.from(body, 'base64'), aboutSimulatorAnswer(id))
  if (answer.ok) return answer.value as T
  throw answer.refused ? invalid(answer.message) : new GatewayError('internal', 'the sandbox network failed')
}
