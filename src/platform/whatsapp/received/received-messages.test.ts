import type { BinaryNode, WAMessage } from 'baileys'
import { expect, it } from 'vitest'
import { headOf, messageOf, plaintextOf, received } from '../../../../test/harness/received-messages.ts'
import { readMessage } from './inbox-item.ts'
import { MessageTries } from './message-tries.ts'
import { OwedConfirmations } from './owed.ts'

const nothing = (): void => {}

it('a backlog of messages does not block the event loop', async () => {
  const handled: string[] = []
  const { messages } = received(async (_current, stanza) => void handled.push(stanza.attrs.id!))
  const handledPerTurn: number[] = []
  let before = 0
  const watch = (): void => {
    handledPerTurn.push(handled.length - before)
    before = handled.length
    if (handled.length < 300) setImmediate(watch)
  }
  for (let i = 0; i < 300; i++) messages.push(messageOf(`ID${i}`))
  watch()
  await messages.idle()
  expect(handled).toHaveLength(300)
  expect(Math.max(...handledPerTurn)).toBeLessThanOrEqual(16)
})

it('a message that the library decrypts and then fails on is stored and acknowledged at the first try', async () => {
  const { messages, items, acknowledged, stuck } = received(async current => {
    current.decrypted(plaintextOf({ conversation: 'hello' }))
    throw new Error('the library has failed')
  })
  messages.push(messageOf('ID1'))
  await messages.idle()
  expect(items()).toHaveLength(1)
  expect(readMessage(items()[0]!.body)).toMatchObject({ key: { id: 'ID1' }, message: { conversation: 'hello' } })
  expect(acknowledged).toEqual(['ID1'])
  expect(stuck()).toBe(0)
})

it('a message that hangs after its decryption is stored, and the link ends', async () => {
  const { messages, items, stuck, counted } = received(
    async current => {
      current.decrypted(plaintextOf({ conversation: 'hello' }))
      await new Promise(nothing)
    },
    { timeoutMs: 10 },
  )
  messages.push(messageOf('ID1'))
  await expect.poll(stuck).toBe(1)
  expect(items().map(({ poison }) => poison)).toEqual([undefined])
  expect(counted.size).toBe(0)
})

it('a message that hangs before it was decrypted is counted before the link ends', async () => {
  const { messages, entries, stuck, counted } = received(() => new Promise(nothing), { timeoutMs: 10 })
  messages.push(messageOf('ID1'))
  await expect.poll(stuck).toBe(1)
  expect([...counted.values()]).toEqual([1])
  expect(entries).toEqual([undefined])
})

it('a message that ends while its try is being counted leaves no count behind', async () => {
  const written: number[] = []
  const stored = new Map<string, number>()
  let end = nothing
  const recordTries = async (tries: ReadonlyMap<string, number>): Promise<void> => {
    written.push(...tries.values())
    if (written.length === 1) end()
    await new Promise(resolve => setImmediate(resolve))
  }
  const { messages, items, stuck } = received(
    (itself, stanza) =>
      new Promise(resolve => {
        end = () => {
          itself.decrypted(plaintextOf({ conversation: 'hello' }))
          itself.emitted(headOf(stanza))
          resolve()
        }
      }),
    { timeoutMs: 10, tries: new MessageTries(stored, { recordTries }) },
  )
  messages.push(messageOf('ID1'))
  await expect.poll(stuck).toBe(1)
  expect(items()).toHaveLength(1)
  expect(written).toEqual([1, 0])
  expect(stored.size).toBe(0)
})

it('an error of the gateway after decryption stores the message as poison, because its keys have changed', async () => {
  const headOfFault = (stanza: BinaryNode): WAMessage => {
    const head = headOf(stanza)
    const fromMe = (): never => {
      throw new Error('a fault of ours')
    }
    Object.defineProperty(head.key, 'fromMe', { get: fromMe })
    return head
  }
  const { messages, items, dropped } = received(
    async (itself, stanza) => {
      try {
        itself.decrypted(plaintextOf({ conversation: 'hello' }))
        itself.emitted(headOf(stanza))
      } catch {
        itself.emitted({ ...headOf(stanza), messageStubType: 2 })
      }
    },
    { headOf: headOfFault },
  )
  messages.push(messageOf('ID1'))
  await messages.idle()
  expect(dropped).toEqual([])
  expect(items().map(({ poison }) => poison)).toEqual([true])
})

it('a message that cannot become an item is stored as poison, and its place is filled', async () => {
  const { messages, items, entries } = received(async (itself, stanza) => {
    itself.decrypted(plaintextOf({ conversation: 'hello' }))
    const message = headOf(stanza)
    Object.defineProperty(message, 'messageTimestamp', { get: () => Symbol('no number') })
    itself.emitted(message)
  })
  messages.push(messageOf('ID1'))
  messages.push(messageOf('ID2'))
  await messages.idle()
  expect(entries.every(entry => entry !== undefined)).toBe(true)
  expect(items().map(({ poison }) => poison)).toEqual([true, true])
  expect(items()[0]!.body.toString()).toContain(
    Buffer.from(plaintextOf({ conversation: 'hello' }))
      .subarray(0, -1)
      .toString('base64'),
  )
})

it('each redelivered message is counted before it begins, and its count is deleted when it is finished', async () => {
  const during: number[] = []
  const { messages, counted, entries } = received(async (itself, stanza) => {
    during.push(counted.size)
    itself.decrypted(plaintextOf({ conversation: 'hello' }))
    itself.emitted(headOf(stanza))
  })
  for (const id of ['ID1', 'ID2', 'ID3']) messages.push(messageOf(id, { offline: '1' }))
  await messages.idle()
  expect(during[0]).toBeGreaterThan(0)
  expect(counted.size).toBe(0)
  expect(entries.flatMap(entry => entry?.finished ?? [])).toHaveLength(3)
})

it('a message that never finished in four tries is stored as poison, without the library', async () => {
  const handled: string[] = []
  const { messages, items, counted, acknowledged } = received(async (itself, stanza) => {
    handled.push(stanza.attrs.id!)
    itself.decrypted(plaintextOf({ conversation: 'hello' }))
    itself.emitted(headOf(stanza))
  })
  counted.set('m/15550001111@s.whatsapp.net//ID1', 4)
  counted.set('m/15550001111@s.whatsapp.net//ID2', 3)
  for (const id of ['ID1', 'ID2', 'ID3']) messages.push(messageOf(id, { offline: '1' }))
  await messages.idle()
  expect(handled).toEqual(['ID2', 'ID3'])
  expect(items().map(({ poison }) => poison)).toEqual([true, undefined, undefined])
  expect(acknowledged).toEqual(['ID1'])
  expect(counted.size).toBe(0)
})

it('a call with the id of a message does not end that message', async () => {
  const { messages, items } = received(async (itself, stanza) => {
    const call = { key: { id: stanza.attrs.id!, remoteJid: '15550002222@s.whatsapp.net' }, messageStubType: 40 }
    itself.emitted(call as WAMessage)
    itself.decrypted(plaintextOf({ conversation: 'hello' }))
    itself.emitted(headOf(stanza))
  })
  messages.push(messageOf('ID1'))
  await messages.idle()
  expect(items()).toHaveLength(1)
})

it('a message that made the platform end a link is handled before queued ones and acknowledged in every form', async () => {
  const owed = new OwedConfirmations()
  owed.add({ data: { tag: 'ack', attrs: { class: 'message', id: 'OWED' } } })
  const handled: string[] = []
  const { messages, acknowledged } = received(async (_current, { attrs }) => void handled.push(attrs.id!), { owed })
  for (const id of ['BEGUN', 'WAITING', 'OWED']) messages.push(messageOf(id))
  await messages.idle()
  expect(handled).toEqual(['BEGUN', 'OWED', 'WAITING'])
  expect(acknowledged).toEqual(['OWED in every way'])
})
