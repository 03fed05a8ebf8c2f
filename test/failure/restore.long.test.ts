import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type LinkedGateway, openLinkedGateway } from '../harness/linked-gateway.ts'
import { postgresBinaries } from '../harness/postgres.ts'
import { runPostern } from '../harness/process.ts'
import { newPlace, type Place, STORES } from '../harness/stores.ts'
import { Talk } from '../harness/talk.ts'
import { until } from '../harness/until.ts'

/** A contact whom the number knew at the time of the backup, and one whom it has met since. */
const OLD = '15552001001'
const NEW = '15552001002'

/** As an operator would: the backup is made while the gateway runs, and restored while it does not. */
const backups = {
  sqlite: {
    make: (place: Place) => runTool(place, 'backup', '--to', backupOf(place)),
    restore: (place: Place) => runTool(place, 'restore', '--from', backupOf(place), '--replace'),
  },
  postgres: {
    make: async (place: Place) => postgresTool('pg_dump', '-Fc', '-f', backupOf(place), '-d', place.databaseUrl!),
    restore: async (place: Place) =>
      postgresTool('pg_restore', '--clean', '--if-exists', '-d', place.databaseUrl!, backupOf(place)),
  },
}

const backupOf = (place: Place): string => join(place.dataDir, 'backup')

async function runTool(place: Place, ...args: string[]): Promise<void> {
  const running = runPostern(args, place.env)
  const { code } = await running.exited
  if (code !== 0) throw new Error(running.stderr())
}

function postgresTool(name: string, ...args: string[]): void {
  execFileSync(join(postgresBinaries(), name), args, { stdio: 'pipe' })
}

interface Shape {
  dir?: 'in' | 'out'
  tag?: string
  attrs?: { type?: string }
}

/** Messages that were requested again because they could not be read: by the gateway, and by contacts' devices. */
function askedAgain(folder: string): { gateway: number; contacts: number } {
  const lines = readdirSync(folder).flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  const asking = lines
    .map(line => JSON.parse(line) as Shape)
    .filter(({ tag, attrs }) => tag === 'receipt' && attrs?.type === 'retry')
  const gateway = asking.filter(({ dir }) => dir === 'out').length
  return { gateway, contacts: asking.length - gateway }
}

describe.each(STORES)('A restored backup of an earlier hour, on %s', kind => {
  let gateway: LinkedGateway | undefined
  afterEach(async () => {
    await gateway?.close()
    gateway = undefined
  })

  it('keeps the numbers linked, and everything written from then on arrives', async () => {
    const place = await newPlace(kind)
    const record = join(place.dataDir, 'record')
    gateway = await openLinkedGateway(place, 2, { env: { POSTERN_RECORD: record } })
    const before = new Talk(gateway, 'before')
    await before.exchange(3, [OLD])
    await until(() => before.isWhole())
    await before.sendLater(gateway.numbers[0]!, OLD, 6_000)
    await backups[kind].make(place)
    await before.exchange(5, [OLD, NEW])
    await until(() => before.isWhole())
    await gateway.stop()
    expect(askedAgain(record)).toEqual({ gateway: 0, contacts: 0 })
    await backups[kind].restore(place)
    await gateway.start()
    await until(() => gateway!.allConnected())

    const after = new Talk(gateway, 'after')
    await after.exchange(3, [OLD, NEW])
    await until(() => after.isWhole()).catch(() => {})
    await gateway.stop()
    // Its keys are outdated: unreadable messages are requested again, and arrive under new keys.
    const { gateway: asked, contacts } = askedAgain(record)
    console.log(
      `restored on ${kind}: ${asked} messages asked for again by the gateway, ${contacts} by contacts' devices`,
    )
    expect(asked).toBeGreaterThan(0)
    expect(contacts).toBeGreaterThan(0)
    expect(after.missing()).toEqual({ sent: [], received: [] })
    // A message scheduled at the time of the backup, and sent since, is sent again with the same id.
    expect([...before.doubled(), ...after.doubled()]).toEqual([])
    expect(after.failures()).toEqual([])
    expect(gateway.simulator.unread()).toEqual([])
  })
})
