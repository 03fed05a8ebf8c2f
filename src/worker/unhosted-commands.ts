import type { Answer } from '../domain/request.ts'
import { aboutAnswer } from '../domain/sealed.ts'
import type { DueCommand } from '../store/units/commands/command-queue.ts'
import { failedStep } from './message-events.ts'
import type { HostParts } from './parts.ts'
import { followUpEnd, subjectOf } from './run-message.ts'

const AT_ONCE = 256
const FAILURE = { reason: 'SEND_FAILED', detail: 'the device is logged out: pair the number again' } as const

/** Answers what they are asked to do. */
async function answerAll({ store, seal }: HostParts): Promise<void> {
  const answer: Answer<never> = { ok: false, failure: { kind: 'link_down', detail: FAILURE.detail } }
  for (const { id } of await store.requests.readUnhostedRequests())
    await store.requests.answerRequest({ id, sealed: seal.sealJson(answer, aboutAnswer(id)) })
}

/** Fails what is due for devices that are logged out. Any worker may do it, and two at once do it once. */
export async function failUnhosted(parts: HostParts): Promise<void> {
  await answerAll(parts)
  for (;;) {
    const due = await parts.store.commands.readUnhostedCommands(AT_ONCE)
    await Promise.all(due.map(each => endOne(parts, each)))
    if (due.length < AT_ONCE) return
  }
}

async function endOne(parts: HostParts, due: DueCommand): Promise<void> {
  if (due.kind === 'send') {
    const steps = [failedStep(parts, subjectOf(due), parts.clock.now().getTime(), FAILURE)]
    await parts.store.commands.progress({ lease: null, steps, commandId: due.id, inboxKey: null })
  } else {
    const detail = `${FAILURE.reason}: ${FAILURE.detail}`
    await parts.store.commands.endFollowUp({ ...followUpEnd(due, detail), lease: null })
  }
  parts.metrics.command(due.kind, FAILURE.reason)
}
