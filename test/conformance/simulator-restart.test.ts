import { type Simulator, startSimulator } from '../harness/simulator.ts'
import type { SimulatorOptions } from '@postern/simulator/options'
import type { SimulatorStorage } from '@postern/simulator/storage'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryStorage } from '../harness/simulator-storage.ts'
import { type Client, hidden, linkClient, openClient, prepareEngine, trust } from './simulator-client.ts'

const NUMBER = '999100200340'
const ALICE = '5511333330001'

const closing: (() => Promise<void>)[] = []

async function start(storage: SimulatorStorage, options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ timing: { readDelayMs: 20 }, ...options, storage })
  trust(simulator)
  closing.unshift(() => simulator.close())
  return simulator
}

function track(client: Client): Client {
  closing.unshift(() => client.end())
  return client
}

beforeAll(prepareEngine)
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

describe('A restart of the simulator', () => {
  test('keeps the root, the link, the sessions, the chats and what was not acknowledged', async () => {
    const storage = createMemoryStorage()
    const before = await start(storage)
    const client = track(await linkClient(before, NUMBER))
    const group = before.group({ subject: 'Kept', owner: ALICE, members: [NUMBER] })
    const channel = before.channel({ name: 'Kept', owner: ALICE, followers: [NUMBER] })
    const sent = await client.socket.sendMessage(hidden(before, ALICE), { text: 'before' })
    await before.until(() => before.phone(ALICE).message(sent?.key.id ?? ''))
    const first = await before.phone(ALICE).sendTo(group.jid, { type: 'text', text: 'first' })
    await client.waitFor(() => client.messages.find(m => m.key.id === first.id))
    const media = await before.phone(ALICE).sendTo(NUMBER, { type: 'image', data: Buffer.from('picture') })
    await client.waitFor(() => client.messages.find(m => m.key.id === media.id))
    await client.end()
    const direct = await before.phone(ALICE).sendTo(NUMBER, { type: 'text', text: 'direct' })
    const inGroup = await before.phone(ALICE).sendTo(group.jid, { type: 'text', text: 'in the group' })
    const post = await channel.post({ type: 'text', text: 'posted' })
    await before.close()

    const after = await start(storage)
    expect(after.rootKey).toEqual(before.rootKey)
    expect(after.mediaCa).toBe(before.mediaCa)
    expect(after.phone(ALICE).message(sent?.key.id ?? '')?.message.extendedTextMessage?.text).toBe('before')
    const again = track(await openClient(after, client.auth))
    for (const id of [direct.id, inGroup.id, post.id]) {
      await again.waitFor(() => again.messages.find(m => m.key.id === id && m.message))
    }
    const answer = await again.socket.sendMessage(hidden(after, ALICE), { text: 'after' })
    await after.until(() => after.phone(ALICE).message(answer?.key.id ?? ''))
    const toGroup = await again.socket.sendMessage(group.jid, { text: 'after' })
    await after.until(() => after.phone(ALICE).message(toGroup?.key.id ?? ''))
    const second = await after.phone(ALICE).sendTo(group.jid, { type: 'text', text: 'second' })
    await again.waitFor(() => again.messages.find(m => m.key.id === second.id && m.message))
    await after.until(() => after.numbers().every(n => n.devices.every(d => d.unacknowledged === 0)))
  })

  test('lets contacts read what was delivered before it', async () => {
    const storage = createMemoryStorage()
    const before = await start(storage, { timing: { readDelayMs: Number.POSITIVE_INFINITY } })
    const client = track(await linkClient(before, NUMBER))
    const sent = await client.socket.sendMessage(hidden(before, ALICE), { text: 'unread' })
    await before.until(() => before.phone(ALICE).message(sent?.key.id ?? ''))
    await before.close()
    const after = await start(storage)
    const again = track(await openClient(after, client.auth))
    await again.waitFor(() => again.stanzas.some(s => s.tag === 'receipt' && s.attrs.type === 'read'))
  })
})

describe('The simulator acknowledges nothing before it is saved', () => {
  test('so the ack of a message waits for the save, even if the save fails at first', async () => {
    const memory = createMemoryStorage()
    let hold: Promise<void> | undefined
    let failing = false
    let failures = 0
    const storage: SimulatorStorage = {
      load: () => memory.load(),
      save: async changes => {
        await hold
        if (failing) {
          failures += 1
          throw new Error('disk full')
        }
        await memory.save(changes)
      },
    }
    const simulator = await start(storage)
    const client = track(await linkClient(simulator, NUMBER))
    await client.socket.sendMessage(hidden(simulator, ALICE), { text: 'warm up' })
    await simulator.saved()

    let release: () => void = () => {}
    hold = new Promise(resolve => {
      release = resolve
    })
    const sent = await client.socket.sendMessage(hidden(simulator, ALICE), { text: 'held' })
    await simulator.until(() => simulator.phone(ALICE).message(sent?.key.id ?? ''))
    const acked = (id: string | null | undefined) => client.stanzas.some(s => s.tag === 'ack' && s.attrs.id === id)
    expect(acked(sent?.key.id)).toBe(false)
    release()
    await client.waitFor(() => acked(sent?.key.id))

    failing = true
    const late = await client.socket.sendMessage(hidden(simulator, ALICE), { text: 'late' })
    await simulator.until(() => simulator.phone(ALICE).message(late?.key.id ?? ''))
    await expect.poll(() => failures).toBeGreaterThanOrEqual(2)
    expect(acked(late?.key.id)).toBe(false)
    failing = false
    await client.waitFor(() => acked(late?.key.id))
  })
})
