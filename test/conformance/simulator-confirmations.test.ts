import { type Simulator, startSimulator } from '../harness/simulator.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, linkClient, prepareEngine, startClient, trust } from './simulator-client.ts'

const NUMBER = '999100200350'
const ALICE = '5511444450001'

let simulator: Simulator
beforeAll(async () => {
  prepareEngine()
  simulator = await startSimulator({ historySync: false, timing: { confirmMs: 1_500 } })
  trust(simulator)
})
afterAll(() => simulator.close())

const unacknowledged = () => simulator.numbers()[0]!.devices[0]!.unacknowledged

/** Tags of the waiting stanzas, in order of arrival. */
function arrivalsOf({ socket }: Client): string[] {
  const tags: string[] = []
  for (const tag of ['appdata', 'message'])
    socket.ws.on(`CB:${tag}`, ({ attrs }: { attrs: Record<string, string> }) => {
      if (attrs.offline !== undefined) tags.push(tag)
    })
  return tags
}

test('a stanza that stays unconfirmed ends the link, comes first at each login, and ends it again', async () => {
  const client = await linkClient(simulator, NUMBER)
  await simulator.until(() => unacknowledged() === 0)
  // The engine does not confirm stanzas that it does not know.
  const [id] = simulator.faults.receiving.sendRareStanza(NUMBER, { kind: 'unknown_tag', tag: 'appdata', from: '1@bot' })
  expect(await client.closed).toBe(500)
  for (let login = 0; login < 2; login += 1) {
    await simulator.phone(ALICE).sendTo(NUMBER, { type: 'text', text: 'behind it' })
    const again = startClient(simulator, client.auth)
    const arrivals = arrivalsOf(again)
    expect(await again.closed).toBe(500)
    expect(arrivals).toEqual(['appdata', 'message'])
  }
  const last = startClient(simulator, client.auth)
  await last.waitFor(() => last.stanzas.some(({ tag }) => tag === 'ib'))
  await last.socket.sendNode({ tag: 'ack', attrs: { class: 'appdata', id: id!, to: '1@bot' } })
  await simulator.until(() => unacknowledged() === 0)
  await last.end()
})
