import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../harness/chatwoot.ts'
import { BridgeRig } from '../harness/chatwoot-bridge.ts'
import { until } from '../harness/until.ts'

const CONTACTS = ['15551000001', '15551000002', '15551000003', '15551000004']
const ADA = '15551234567'
const ROUNDS = 12
const EACH = 5

/** The same values in every run, spread over the possible faults. */
function* spread(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield state / 2_147_483_648
  }
}

/** Against a stand-in for Chatwoot: `test/harness/chatwoot.ts`. */
describe('A bridge to Chatwoot that is killed repeatedly, between sides that fail', () => {
  let rig: BridgeRig
  const chance = spread(7)
  const next = (): number => chance.next().value as number
  beforeAll(async () => {
    rig = await BridgeRig.start()
    await rig.startBridge()
  })
  afterAll(() => rig.close())

  it('loses nothing, duplicates nothing and keeps the order of each chat, in both directions', async () => {
    for (const contact of CONTACTS) await rig.write(contact, { type: 'text', text: `begin ${contact}` })
    for (const contact of CONTACTS) await until(() => rig.chatwoot.conversationWith(`+${contact}`))
    rig.chatwoot.fault = ({ method }) => {
      if (next() > 0.15) return undefined
      return method === 'POST' ? (['late', 'reset', 500, 503] as const)[Math.floor(next() * 4)] : 500
    }
    const received = new Map<string, string[]>(CONTACTS.map(contact => [contact, []]))
    const written: Array<{ text: string; isTaken: boolean }> = []
    for (let round = 0; round < ROUNDS; round++) {
      const work = CONTACTS.map(async contact => {
        for (let at = 0; at < EACH; at++) {
          const text = `in ${round} ${at} ${contact}`
          await rig.write(contact, { type: 'text', text })
          received.get(contact)!.push(text)
          const said = `out ${round} ${at} ${contact}`
          const kept = await rig.chatwoot.agentWrites(rig.chatwoot.conversationWith(`+${contact}`)!, said)
          written.push({ text: said, isTaken: kept.status !== 'failed' })
        }
      })
      // At a random point of the run.
      const middle = written.length + 4 + Math.floor(next() * 12)
      await until(() => written.length >= middle)
      await rig.killBridge()
      await Promise.all(work)
      await rig.startBridge()
    }
    rig.chatwoot.fault = () => undefined
    const texts = (contact: string) =>
      rig.chatwoot.messages
        .filter(({ content }) => content.startsWith('in ') && content.endsWith(contact))
        .map(each => each.content)
    for (const contact of CONTACTS) await until(() => new Set(texts(contact)).size === received.get(contact)!.length)
    for (const contact of CONTACTS) expect(texts(contact)).toEqual(received.get(contact))
    const taken = written.filter(({ isTaken }) => isTaken)
    const onPhones = async () =>
      (await rig.allOnPhones()).map(({ text }) => text).filter(text => text.startsWith('out '))
    await until(async () => {
      const shown = new Set(await onPhones())
      return taken.every(({ text }) => shown.has(text))
    })
    const shown = await onPhones()
    expect(new Set(shown).size).toBe(shown.length)
    expect(taken.length).toBeGreaterThan((ROUNDS * EACH * CONTACTS.length) / 4)
    expect(rig.chatwoot.contacts).toHaveLength(CONTACTS.length)
    expect(rig.chatwoot.conversations).toHaveLength(CONTACTS.length)
    const total = ROUNDS * EACH * CONTACTS.length
    console.log(`brought ${total} of ${total}, none twice; sent ${taken.length} that were taken, shown ${shown.length}`)
  })
})

describe('A bridge to Chatwoot under single faults', () => {
  let rig: BridgeRig
  beforeAll(async () => {
    rig = await BridgeRig.start()
    await rig.startBridge()
  })
  afterAll(() => rig.close())
  beforeEach(() => {
    rig.chatwoot.fault = () => undefined
  })
  const conversationWithAda = async (): Promise<number> => {
    await rig.write(ADA, { type: 'text', text: 'Hello', from_name: 'Ada' })
    return await until(() => rig.chatwoot.conversationWith(`+${ADA}`))
  }

  it.each<[string, Fault, number?]>([
    ['500', 500],
    ['401', 401],
    ['429', { status: 429, retryAfter: 1 }],
    ['nothing, though it did the work', 'late'],
    ['nothing', 'reset'],
    ['404 for nine times, in words of something before it', { status: 404, page: '<h1>Not Found</h1>' }, 9],
  ])('waits if Chatwoot answers %s, and continues in order, each once', async (name, fault, times = 2) => {
    const conversation = await conversationWithAda()
    let left = times
    rig.chatwoot.fault = ({ method, path }) =>
      method === 'POST' && path.endsWith('/messages') && left-- > 0 ? fault : undefined
    const texts = ['one', 'two', 'three'].map(word => `${word} despite ${name}`)
    for (const text of texts) await rig.write(ADA, { type: 'text', text })
    await rig.chatwoot.untilSaid(texts[2]!)
    const said = rig.chatwoot.messages.filter(
      each => each.conversation === conversation && texts.includes(each.content),
    )
    expect(said.map(({ content }) => content)).toEqual(texts)
  })

  it('retries abandoned messages once more if configured to', async () => {
    await conversationWithAda()
    rig.chatwoot.fault = ({ method, path }) => (method === 'POST' && path.endsWith('/messages') ? 422 : undefined)
    await rig.write(ADA, { type: 'text', text: 'Refused at first' })
    await until(() => rig.lines().some(({ event }) => event === 'given_up'))
    rig.chatwoot.fault = () => undefined
    await rig.killBridge()
    await rig.startBridge('--retry')
    await rig.chatwoot.untilSaid('Refused at first')
    expect(rig.lines()).toContainEqual(
      expect.objectContaining({ event: 'retried', message: expect.stringMatching(/: 1\.$/) }),
    )
    await rig.killBridge('SIGTERM')
    await rig.startBridge()
    expect(rig.lines().find(({ event }) => event === 'ready')).toMatchObject({
      message: expect.not.stringContaining('given up'),
    })
    expect(rig.chatwoot.said('Refused at first')).toHaveLength(1)
  })

  it('continues after a kill of itself and of the gateway, without loss or duplicates', async () => {
    const conversation = await conversationWithAda()
    await rig.killBridge()
    await rig.write(ADA, { type: 'text', text: 'While you were away' })
    await rig.startBridge()
    await rig.chatwoot.untilSaid('While you were away')
    rig.gateway.kill('SIGKILL')
    await rig.gateway.exited
    const written = await rig.chatwoot.agentWrites(conversation, 'While the gateway was away')
    expect(written.status).toBe('sent')
    await rig.killBridge()
    await rig.startBridge()
    await rig.startGateway()
    await rig.untilOnPhone('While the gateway was away')
    await rig.write(ADA, { type: 'text', text: 'Back again' })
    await rig.chatwoot.untilSaid('Back again')
    for (const text of ['While you were away', 'Back again']) expect(rig.chatwoot.said(text)).toHaveLength(1)
    const phone = (await rig.onPhones()).filter(({ text }) => text === 'While the gateway was away')
    expect(phone).toHaveLength(1)
  })
})
