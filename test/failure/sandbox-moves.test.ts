import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sendSandboxRequest } from '../../src/actions/send-request.ts'
import { readConfig } from '../../src/config.ts'
import { type Context, createContext } from '../../src/context.ts'
import { Deferred } from '../../src/runtime/deferred.ts'
import type { SandboxMessage } from '../../src/domain/sandbox.ts'
import { runSandbox } from '../../src/sandbox/run-sandbox.ts'
import type { Store } from '../../src/store/store.ts'
import { storeWith } from '../harness/store-with.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const NUMBER = '999300000001'
const ADA = '15551230001'

let place: Place
let context: Context
let first: Network
let second: Network

beforeAll(async () => {
  place = await newPlace('sqlite')
  context = await createContext(readConfig({ ...place.env, POSTERN_LOG_LEVEL: process.env.TEST_LOG ?? 'silent' }))
})
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()])
  await context.close()
  place.remove()
})

type Line = 'renew' | 'save' | 'take'

interface Network {
  isReady(): boolean
  /** No query to the store is answered until `resume`, as if its process were stopped. */
  pause(...lines: Line[]): void
  resume(...lines: Line[]): void
  stop(): Promise<void>
}

/** The sandbox network as another process runs it, or waits to take over. */
function startNetwork(nodeId: string): Network {
  const held = new Map<Line, Deferred<void>>()
  const passing =
    <I, O>(line: Line, method: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> => {
      await held.get(line)?.promise
      return await method(input)
    }
  const { leases, simulator, requests } = context.store
  const store: Store = storeWith(context.store, {
    leases: { recordHeartbeat: passing('renew', leases.recordHeartbeat) },
    simulator: { saveSimulatorEntries: passing('save', simulator.saveSimulatorEntries) },
    requests: { takeSandboxRequests: passing('take', requests.takeSandboxRequests) },
  })
  const stopping = new AbortController()
  let isReady = false
  const parts = { ...context, store, nodeId, leaseTtlMs: 600, outageMs: 20_000, host: '127.0.0.1' }
  const running = runSandbox(parts, stopping.signal, () => void (isReady = true)).catch(() => {})
  const resume = (...lines: Line[]): void => {
    for (const line of lines) {
      held.get(line)?.resolve()
      held.delete(line)
    }
  }
  return {
    isReady: () => isReady,
    pause: (...lines) => lines.forEach(line => held.set(line, new Deferred())),
    resume,
    stop: async () => {
      resume('renew', 'save', 'take')
      stopping.abort()
      await running
    },
  }
}

const write = (text: string): Promise<{ message_id: string }> =>
  sendSandboxRequest(context, { kind: 'incoming', phone: NUMBER, incoming: { from: ADA, type: 'text', text } })

/** The messages of the contact's phone, according to the process that runs the network now. */
async function written(): Promise<string[]> {
  const listing = { kind: 'messages', contact: ADA, sinceMs: 0, limit: 100, before: null, withMedia: false } as const
  const { data } = await sendSandboxRequest<{ data: SandboxMessage[] }>(context, { ...listing, phone: NUMBER })
  return data.map(({ message_id }) => message_id)
}

beforeEach(async () => {
  await Promise.all([first?.stop(), second?.stop()])
  first = startNetwork('first')
  await until(first.isReady)
  second = startNetwork('second')
  await write('before')
})

it('a sandbox network that slept while another took over accepts no requests, because their effects would be lost', async () => {
  second.pause('take')
  first.pause('renew', 'save', 'take')
  await until(second.isReady)
  const writing = write('meanwhile')
  await until(() => context.store.requests.hasSandboxRequests())
  first.resume('take')
  first.resume('renew', 'save')
  await first.stop()
  second.resume('take')
  const { message_id } = await writing
  expect(await written()).toContain(message_id)
})

it('a request that a sandbox network began and can no longer save is answered with 502, and has no effect', async () => {
  const known = await written()
  first.pause('renew', 'save')
  const writing = write('begun').then(
    ({ message_id }) => message_id,
    (error: unknown) => error,
  )
  await until(async () => !(await context.store.requests.hasSandboxRequests()))
  await until(second.isReady)
  first.resume('save', 'renew')
  expect(await writing).toMatchObject({ code: 'sandbox_unavailable', message: expect.stringMatching(/ask again/) })
  expect(await written()).toEqual(known)
})
