import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlatformId } from '../../src/domain/ids.ts'
import { StorageUnavailable } from '../../src/platform/platform.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await startRig({ platform: { backoff: { lost: [20, 200], replaced: [60_000, 60_000] } } })
})
afterAll(() => rig.close())

const WAITS = { failure: { kind: 'link_down' } }

/** The number as the next process finds it, with only its storage. */
async function restarted(first: Hosted): Promise<Hosted> {
  await first.close()
  const second = rig.host(first.device, first.storage.restarted())
  await second.open()
  return second
}

/** Reads of the keys for which `isUnavailable` holds fail until they are restored, as with an unreachable database. */
function losesKeys({ storage }: Hosted, isUnavailable: (name: string) => boolean): () => void {
  const { readKeys } = storage
  storage.readKeys = async (category, ids) => {
    if (ids.some(id => isUnavailable(`${category}/${id}`))) throw new StorageUnavailable('the database is away')
    return await readKeys(category, ids)
  }
  return () => void (storage.readKeys = readKeys)
}

const isSession = (name: string): boolean => name.startsWith('session/')

test('keys that cannot be read fail no send permanently, and the message arrives when they can be read', async () => {
  const first = await rig.link('999210000001')
  const ana = rig.simulator.phone('5511777710001')
  await first.send(ana.jid, text('before'))
  const number = await restarted(first)
  const findKeys = losesKeys(number, isSession)
  const platformId = makePlatformId()
  await expect(number.send(ana.jid, text('during'), { platformId })).rejects.toMatchObject(WAITS)
  findKeys()
  await number.until(() => number.links.at(-1)?.state === 'open')
  await number.send(ana.jid, text('during'), { platformId })
  await rig.simulator.until(() => ana.message(platformId))
  expect(ana.inbox()).toHaveLength(2)
})

test('a message leaves for no device while the keys of one cannot be read, so none is left out', async () => {
  const first = await rig.link('999210000002')
  const ana = rig.simulator.phone('5511777710002')
  const computer = ana.linkCompanion()
  await first.send(ana.jid, text('before'))
  const number = await restarted(first)
  const findKeys = losesKeys(number, name => isSession(name) && name.endsWith(`.${computer}`))
  const platformId = makePlatformId()
  await expect(number.send(ana.jid, text('during'), { platformId })).rejects.toMatchObject(WAITS)
  expect(ana.hasRead(platformId)).toBe(false)
  findKeys()
  await number.until(() => number.links.at(-1)?.state === 'open')
  await number.send(ana.jid, text('during'), { platformId })
  await number.until(() => ana.hasRead(platformId) && ana.hasRead(platformId, computer))
  expect(rig.simulator.unread().filter(({ id }) => id === platformId)).toEqual([])
})

test('a contact whose state could not be written is queried again, and named as before', async () => {
  const number = await rig.link('999210000003')
  const ana = rig.simulator.phone('5511777710003')
  const platformId = makePlatformId()
  const before = number.links.length
  number.storage.beforeCommit = async () => {
    throw new Error('the database is away')
  }
  await expect(number.send(ana.jid, text('hello'), { platformId })).rejects.toMatchObject(WAITS)
  number.storage.beforeCommit = async () => {}
  await number.until(() => number.links.length > before && number.links.at(-1)?.state === 'open')
  await number.send(ana.jid, text('hello'), { platformId })
  expect(number.addressed.at(-1)).toBe('lid sent')
  await rig.simulator.until(() => ana.message(platformId))
})
