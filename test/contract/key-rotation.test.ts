import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutWebhook, aboutSimulatorEntry } from '../../src/domain/sealed.ts'
import { resealAll } from '../../src/maintenance/reseal-job.ts'
import { type Database, openDatabase } from '../../src/store/sqlite/driver.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { SEALED_COLUMNS } from '../../src/store/resealing/resealing.ts'
import { takeSandbox } from '../harness/leases.ts'

const key = (): string => randomBytes(32).toString('base64')
const dataDir = (): string => mkdtempSync(join(tmpdir(), 'postern-rotation-'))
const open = (folder: string, secretKey: string) =>
  createContext(readConfig({ POSTERN_DATA_DIR: folder, POSTERN_SECRET_KEY: secretKey, POSTERN_LOG_LEVEL: 'silent' }))

async function withWebhook(context: Awaited<ReturnType<typeof open>>): Promise<string> {
  const accountId = makeId('acc')
  const none = { user: null, key: null, acceptTosVersion: null, limitOverrides: {} }
  await context.store.accounts.createAccount({ id: accountId, name: 'a', plan: 'max', ...none })
  const id = makeId('wh')
  const urls = { messages: '', status: '', connection: '', events: '' }
  const sealedSecret = context.seal.seal('whsec_canary', aboutWebhook(id))
  await context.store.webhooks.createWebhook({
    id,
    accountId,
    sessionId: '99912345@s.whatsapp.net',
    phone: '99912345',
    urls,
    sealedSecret,
  })
  return id
}

test('a key list new,old decrypts what the old key encrypted, encrypts it again, and then the old key can be removed', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  const before = await open(folder, oldKey)
  const id = await withWebhook(before)
  await before.close()

  const rotating = await open(folder, `${newKey},${oldKey}`)
  const [readable] = await rotating.store.webhooks.getWebhookSecrets(id)
  expect(rotating.seal.open(readable!, aboutWebhook(id)).toString()).toBe('whsec_canary')
  expect(rotating.seal.isOld(readable!)).toBe(true)
  await resealAll(rotating, new AbortController().signal)
  await rotating.close()

  const after = await open(folder, newKey)
  const [secret] = await after.store.webhooks.getWebhookSecrets(id)
  expect(after.seal.open(secret!, aboutWebhook(id)).toString()).toBe('whsec_canary')
  await after.close()
})

test('rows that another node encrypted under the old key after the first had finished are encrypted again by the last', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  await (await open(folder, oldKey)).close()
  const first = await open(folder, `${newKey},${oldKey}`)
  await resealAll(first, new AbortController().signal)
  await first.close()
  const late = await open(folder, `${oldKey},${newKey}`)
  const id = await withWebhook(late)
  await late.close()

  const last = await open(folder, `${newKey},${oldKey}`)
  await resealAll(last, new AbortController().signal)
  await last.close()
  const after = await open(folder, newKey)
  const [secret] = await after.store.webhooks.getWebhookSecrets(id)
  expect(after.seal.open(secret!, aboutWebhook(id)).toString()).toBe('whsec_canary')
  await after.close()
})

test('a key that does not decrypt the data is rejected at the start, naming the variable', async () => {
  const folder = dataDir()
  await (await open(folder, key())).close()
  await expect(open(folder, key())).rejects.toThrow(/POSTERN_SECRET_KEY/)
})

/** A row with only its names and its encrypted columns. */
function insertRow(database: Database, table: string, given: Record<string, string | Uint8Array>): void {
  const columns = database.prepare(`pragma table_info(${table})`).all() as Array<{
    name: string
    type: string
    notnull: number
  }>
  const needed = columns.filter(({ name, notnull }) => name in given || notnull === 1)
  const [anyName] = Object.values(given)
  const values = needed.map(({ name, type }) => given[name] ?? (/text/i.test(type) ? anyName! : 0))
  const names = needed.map(({ name }) => name)
  database.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`).run(...values)
}

test('every encrypted column of the database is encrypted again', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  const before = await open(folder, oldKey)
  const database = openDatabase(databasePath(folder), { readOnly: false })
  database.exec('pragma foreign_keys = off')
  const rows = SEALED_COLUMNS.map(({ table, column, keys, about }) => {
    const names = Object.fromEntries(keys.map(name => [name, `${name} of ${table}.${column}`]))
    const bound = about.replace(/\{(\w+)\}/g, (_, name: string) => names[name]!)
    insertRow(database, table, { ...names, [column]: before.seal.seal(`${table}.${column}`, bound) })
    const where = Object.entries(names).map(([name, value]) => `${name} = '${value}'`)
    return { bound, select: `select ${column} as sealed from ${table} where ${where.join(' and ')}` }
  })
  await before.close()

  const rotating = await open(folder, `${newKey},${oldKey}`)
  await resealAll(rotating, new AbortController().signal)
  await rotating.close()

  const after = await open(folder, newKey)
  const opened = rows.map(({ bound, select }) => {
    const { sealed } = database.prepare(select).get() as { sealed: Uint8Array }
    return after.seal.open(sealed, bound).toString()
  })
  expect(opened).toEqual(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`))
  database.close()
  await after.close()
})

test('large rows are encrypted again in small batches, and small rows in large batches', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  const before = await open(folder, oldKey)
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind}/0${i}`)
  const [small, large] = [names('a-small', 9), names('b-large', 5)]
  const entries = [
    ...small.map(name => [name, Buffer.from(name)] as const),
    ...large.map(name => [name, randomBytes(3 * 1024 * 1024)] as const),
  ]
  const sealed = entries.map(([name, value]) => ({
    key: name,
    sealed: before.seal.seal(value, aboutSimulatorEntry(name)),
  }))
  const lease = await takeSandbox(before.store)
  expect(await before.store.simulator.saveSimulatorEntries({ lease, entries: sealed })).toBe('done')
  await before.close()

  const rotating = await open(folder, `${newKey},${oldKey}`)
  const column = SEALED_COLUMNS.find(({ table }) => table === 'simulator_entries')!
  const read = async (after: string) =>
    (
      await rotating.store.resealing.readSealedUnder({
        column,
        keyIds: rotating.seal.oldKeyIds(),
        after: [after],
        limit: 200,
      })
    ).rows.map(row => row['key'])
  expect(await read('')).toEqual([...small, ...large.slice(0, 2)])
  expect(await read('b-large/01')).toEqual(large.slice(2, 4))
  await resealAll(rotating, new AbortController().signal)
  expect(await read('')).toEqual([])
  await rotating.close()

  const after = await open(folder, newKey)
  const stored = await after.store.simulator.readSimulatorEntries({ after: '', limit: 100 })
  const opened = stored.map(row => after.seal.open(row.sealed, aboutSimulatorEntry(row.key)))
  expect(opened.map((value, i) => value.equals(entries[i]![1]))).toEqual(Array(14).fill(true))
  await after.close()
})

test('messages stay findable by their platform ids after the secret key was replaced, and in other processes', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  const before = await open(folder, oldKey)
  const id = makeId('msg')
  const platformId = before.platformIds.of(id)
  await before.close()
  for (const keys of [oldKey, `${newKey},${oldKey}`]) {
    const after = await open(folder, keys)
    expect(id.startsWith(after.platformIds.beginningOf(platformId)!)).toBe(true)
    await resealAll(after, new AbortController().signal)
    await after.close()
  }
  const last = await open(folder, newKey)
  expect(last.platformIds.of(id)).toBe(platformId)
  await last.close()
})
