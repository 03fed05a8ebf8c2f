import type { Answer } from '../domain/request.ts'
import { aboutAnswer } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'
import type { DueCommand } from '../domain/command.ts'
import { failed, recordEnd } from './commands/command-end.ts'
import type { HostDeps } from './deps.ts'

const BATCH = 256
const FAILURE = { reason: 'SEND_FAILED', detail: 'the device is logged out: pair the number again' } as const

type UnhostedDeps = Omit<HostDeps, 'store' | 'config'> & {
  store: Pick<Store, 'commands' | 'messages' | 'requests' | 'traces'>
}

/** Fails the due commands and requests of logged-out devices. Every worker does it; each command fails once. */
export async function failUnhosted(deps: UnhostedDeps): Promise<void> {
  await answerRequests(deps)
  for (;;) {
    const due = await deps.store.commands.readUnhostedCommands(BATCH)
    await Promise.all(due.map(each => fail(deps, each)))
    if (due.length === 0) return
  }
}

async function answerRequests({ store, seal }: UnhostedDeps): Promise<void> {
  const answer: Answer<never> = { ok: false, failure: { kind: 'link_down', detail: FAILURE.detail } }
  for (const { id, replyTo } of await store.requests.readUnhostedRequests())
    await store.requests.answerRequest({ id, replyTo, sealed: seal.sealJson(answer, aboutAnswer(id)) })
}

async function fail(deps: UnhostedDeps, due: DueCommand): Promise<void> {
  const end = failed(deps, due, FAILURE)
  await recordEnd(deps, end, null)
  deps.metrics.command(due.kind, end.outcome)
}
