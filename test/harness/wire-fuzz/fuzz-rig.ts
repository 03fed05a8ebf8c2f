import { type Simulator, startOpenSimulator } from '../simulator.ts'
import type { Network } from '@postern/simulator/world/network'
import { ask } from '../client.ts'
import { OPERATOR_TOKEN } from '../gateway.ts'
import { expectStatus, type LinkedGateway, linkNumber, publish, type SandboxNumber } from '../linked-gateway.ts'
import { startProcess } from '../process.ts'
import { newPlace } from '../stores.ts'
import { encodeStanza } from './encode-stanza.ts'
import { startEventReceiver, type EventReceiver } from './event-receiver.ts'

/** A whole gateway in a separate process, on a network that sends arbitrary stanzas, with a customer's server. */
export interface FuzzRig {
  readonly simulator: Simulator & { readonly network: Network }
  readonly receiver: EventReceiver
  readonly numbers: readonly SandboxNumber[]
  ask: LinkedGateway['ask']
  write(number: string, contact: string): Promise<void>
  follow(number: string, contact: string): Promise<void>
  metrics(): Promise<string>
  stderr(): string
  close(): Promise<void>
}

const SETTINGS = {
  POSTERN_ROLES: 'api,worker,dispatcher',
  POSTERN_DISCONNECT_GRACE: '60s',
  POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'error',
}
const UNLIMITED = { messages_per_second: null, messages_per_month: null, requests_per_second: null }

export async function openFuzzRig(count: number): Promise<FuzzRig> {
  const place = await newPlace('sqlite')
  const simulator = await startOpenSimulator({ encode: encodeStanza })
  const receiver = await startEventReceiver()
  await publish(place, simulator)
  const gateway = await startProcess(place, SETTINGS)
  const account = { name: 'Fuzz', plan: 'max', accept_tos: true, limits: UNLIMITED }
  const made = await ask(gateway.url, 'POST', '/operator/accounts', { key: OPERATOR_TOKEN, body: account })
  const key: string = made.json.api_key.key
  const askGateway: LinkedGateway['ask'] = (method, path, body) => ask(gateway.url, method, path, { key, body })
  const numbers: SandboxNumber[] = []
  for (let i = 0; i < count; i++) {
    const number = await linkNumber(askGateway, simulator, receiver.url, `999${String(200_000_000 + i)}`)
    receiver.secrets.set(number.webhook.id, number.webhook.secret)
    numbers.push(number)
  }
  return {
    simulator,
    receiver,
    numbers,
    ask: askGateway,
    async write(phone, contact) {
      const { id } = numbers.find(number => number.phone === phone)!
      await expectStatus(202, askGateway('POST', '/v1/messages', { session_id: id, to: contact, text: 'Hello' }))
      await simulator.until(() => simulator.phone(contact).inbox().length > 0)
    },
    async follow(phone, contact) {
      const { id } = numbers.find(number => number.phone === phone)!
      const body = { contact_jid: `${contact}@s.whatsapp.net` }
      await expectStatus(200, askGateway('POST', `/v1/sessions/${id}/presence/subscribe`, body))
    },
    metrics: async () => (await ask(gateway.url, 'GET', '/metrics', { key: OPERATOR_TOKEN })).text,
    stderr: gateway.stderr,
    close: async () => {
      gateway.kill('SIGKILL')
      await gateway.exited
      await receiver.close()
      await simulator.close()
      place.remove()
    },
  }
}
