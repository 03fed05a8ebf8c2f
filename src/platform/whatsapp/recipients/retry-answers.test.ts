import { proto } from 'baileys'
import { expect, it } from 'vitest'
import { answeringSocket } from '../../../../test/harness/answering-socket.ts'
import { until } from '../../../../test/harness/until.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { RetryAnswers } from './retry-answers.ts'

const ASKER = '200000000000011:4@lid'
const stanza = { tag: 'receipt', attrs: { id: '3EB0', from: ASKER, type: 'retry' } }

/** What leaves for a device that asks for a message, if the message can be read only after `failures` tries. */
async function answered(failures: number): Promise<string[]> {
  const left: string[] = []
  const { sock } = answeringSocket({})
  Object.assign(sock, {
    sendNode: async () => void left.push('message'),
    sendMessageAck: async () => void left.push('confirmation'),
  })
  Object.assign(sock.authState.creds, { account: {} })
  Object.assign(sock.signalRepository, { encryptMessage: async () => ({ type: 'msg', ciphertext: Buffer.alloc(8) }) })
  let tries = 0
  const retries = new RetryAnswers({
    clock: { sleep: async () => {} },
    heavyWork: { mayBegin: async () => {} },
    storage: {
      readSeen: async () => ({ fromMe: true }) as never,
      readSent: async () => {
        if (tries++ < failures) throw new Error('the store cannot be reached')
        return proto.Message.encode({ conversation: 'hello' }).finish()
      },
    },
    lids: { namesOf: async jid => [jid], lidOf: async () => undefined },
    recipients: { forgetDevice: async () => {} },
    isInChat: async () => true,
    tokens: { anyNodeFor: async () => undefined },
    age: { ms: 1_000, clock: systemClock },
    onDropped: reason => left.push(reason),
  })
  retries.answer({ sock }, stanza)
  await until(() => left.includes('confirmation'))
  return left
}

it('a requested message is sent before the request is acknowledged', async () => {
  expect(await answered(0)).toEqual(['message', 'confirmation'])
})

it('a temporary failure leaves no request unanswered', async () => {
  expect(await answered(2)).toEqual(['message', 'confirmation'])
})

it('a permanent failure is counted and does not block later requests', async () => {
  expect(await answered(3)).toEqual(['retry_failed', 'confirmation'])
})
