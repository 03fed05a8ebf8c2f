import type { Answer } from '../domain/request.ts'
import { aboutAnswer } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'
import type { DueCommand } from '../store/units/commands/command-queue.ts'
import { failed, recordEnd } from './commands/command-end.ts'
import type { HostParts } from './parts.ts'

const AT_ONCE = 256
const FAILURE = { reason: 'SEND_FAILED', detail: 'the device is logged out: pair the number again' } as const

type UnhostedParts = Omit<HostParts, 'store' | 'config'> & { store: Pick<Store, 'commands' | 'requests' | 'tracing'> }

/** Ends what is due for devices that are logged out. Any worker may do it, and two at once do it once. */
export async function failUnhosted(parts: UnhostedParts): Promise<void> {
  await answerRequests(parts)
  for (;;) {
    const due = await parts.store.commands.readUnhostedCommands(AT_ONCE)
    await Promise.all(due.map(each => fail(parts, each)))
    if (due.length === 0) return
  }
}

async function answerRequests({ store, seal }: UnhostedParts): Promise<void> {
  const answer: Answer<never> = { ok: false, failure: { kind: 'link_down', detail: FAILURE.detail } }
  for (const { id, replyTo } of await store.requests.readUnhostedRequests())
    await store.requests.answerRequest({ id, replyTo, sealed: seal.sealJson(answer, aboutAnswer(id)) })
}

async function fail(parts: UnhostedParts, due: DueCommand): Promise<void> {
  const end = failed(parts, due, FAILURE)
  await recordEnd(parts, end, null)
  parts.metrics.command(due.kind, end.outcome)
}
