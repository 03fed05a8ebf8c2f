import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startRelay } from '../../bench/shared/relay.mjs'
import { startReplicatedPostgres } from '../../bench/shared/replicated-postgres.mjs'
import { type LinkedGateway, openLinkedGateway } from '../harness/linked-gateway.ts'
import type { Place } from '../harness/stores.ts'
import { Talk } from '../harness/talk.ts'
import { until } from '../harness/until.ts'

const CONTACTS = ['15552001001', '15552001002']

/** A gateway on a primary with a replica; the gateway finds the current primary at one address. */
async function openOnReplicated(synchronous: boolean) {
  const database = await startReplicatedPostgres({ synchronous })
  const relay = await startRelay(database.port())
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'))
  const databaseUrl = `postgres://postern@127.0.0.1:${relay.port}/postgres`
  const place: Place = {
    kind: 'postgres',
    dataDir,
    databaseUrl,
    env: { POSTERN_DATA_DIR: dataDir, POSTERN_DATABASE_URL: databaseUrl },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
  const close = async (): Promise<void> => {
    relay.close()
    await database.stop()
  }
  const gateway = await openLinkedGateway(place, 2).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    gateway,
    database,
    promote: async () => {
      await database.promote()
      relay.leadTo(database.port())
    },
    close: async () => {
      await gateway.close()
      await close()
    },
  }
}

/** Numbers and contacts write to each other until stopped. */
function keepTalking(talk: Talk): () => Promise<void> {
  let isOver = false
  const talking = (async () => {
    while (!isOver) await talk.exchange(1, CONTACTS)
  })()
  return async () => {
    isOver = true
    await talking
  }
}

/** Sends that the gateway no longer knows. */
async function forgotten(gateway: LinkedGateway, talk: Talk): Promise<string[]> {
  const asked = talk.sent.map(async ({ text, messageId }) => {
    const { status } = await gateway.ask('GET', `/v1/messages/${messageId}`)
    return status === 404 ? [text] : []
  })
  return (await Promise.all(asked)).flat()
}

describe('A replica that is promoted while numbers send and receive', () => {
  let bed: Awaited<ReturnType<typeof openOnReplicated>> | undefined
  afterEach(async () => {
    await bed?.close()
    bed = undefined
  })

  it('loses nothing, duplicates nothing and ends no link if it is synchronous', async () => {
    bed = await openOnReplicated(true)
    const talk = new Talk(bed.gateway, 'talk')
    const stopTalking = keepTalking(talk)
    await until(() => talk.sent.length > 12)
    await bed.promote()
    const before = talk.sent.length
    await until(() => talk.sent.length > before + 12)
    await stopTalking()
    await until(() => talk.isWhole()).catch(() => {})
    expect(talk.missing()).toEqual({ sent: [], received: [] })
    expect(await forgotten(bed.gateway, talk)).toEqual([])
    expect(talk.doubled()).toEqual([])
    expect(talk.failures()).toEqual([])
    expect(talk.events().filter(event => event.kind === 'connection')).toEqual([])
  })

  it('loses only what it had not received if it is asynchronous, and the numbers continue automatically', async () => {
    bed = await openOnReplicated(false)
    const talk = new Talk(bed.gateway, 'talk')
    await talk.exchange(3, CONTACTS)
    await until(() => talk.isWhole())
    bed.database.replication!.silence()
    const lag = { sent: talk.sent.length, received: talk.received.length }
    const stopTalking = keepTalking(talk)
    await until(() => talk.sent.length > lag.sent + 12)
    await bed.promote()
    const end = { sent: talk.sent.length, received: talk.received.length }
    await until(() => talk.sent.length > end.sent + 12)
    await stopTalking()
    const inLag = {
      sent: talk.sent.slice(lag.sent, end.sent),
      received: talk.received.slice(lag.received, end.received + 1),
    }
    const isLost = () => {
      const { sent, received } = talk.missing()
      return sent.every(each => inLag.sent.includes(each)) && received.every(each => inLag.received.includes(each))
    }
    await until(isLost)
    const { sent, received } = talk.missing()
    const lost = await forgotten(bed.gateway, talk)
    console.log(
      `asynchronous, while it lagged: ${inLag.sent.length} sends accepted, ${lost.length} of them forgotten, ${sent.length} on ` +
        `no phone; ${inLag.received.length} messages received, ${received.length} of them never published`,
    )
    const texts = inLag.sent.map(({ text }) => text)
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.filter(text => !texts.includes(text))).toEqual([])
    expect(talk.doubled()).toEqual([])
    expect(talk.failures()).toEqual([])
  })
})
