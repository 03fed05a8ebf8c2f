import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { makeId } from '../../src/domain/ids.ts'
import { resealAll } from '../../src/reseal.ts'
import { SEALED_COLUMNS } from '../../src/store/units/reseal.ts'

const key = (): string => randomBytes(32).toString('base64')
const dataDir = (): string => mkdtempSync(join(tmpdir(), 'postern-rotation-'))
const open = (folder: string, secretKey: string) =>
  createContext(readConfig({ POSTERN_DATA_DIR: folder, POSTERN_SECRET_KEY: secretKey, POSTERN_LOG_LEVEL: 'silent' }))

async function withWebhook(context: Awaited<ReturnType<typeof open>>): Promise<string> {
  const accountId = makeId('acc')
  const none = { user: null, key: null, acceptTosVersion: null, limitOverrides: {} }
  await context.store.createAccount({ id: accountId, name: 'a', plan: 'max', ...none })
  const id = makeId('wh')
  const urls = { messages: '', status: '', connection: '', events: '' }
  const sealedSecret = context.seal.seal('whsec_canary', `webhook:${id}`)
  await context.store.createWebhook({
    id,
    accountId,
    sessionId: '99912345@s.whatsapp.net',
    phone: '99912345',
    urls,
    sealedSecret,
  })
  return id
}

test('a key list new,old opens what the old key sealed, seals it again, and then the old key can go', async () => {
  const folder = dataDir()
  const [oldKey, newKey] = [key(), key()]
  const before = await open(folder, oldKey)
  const id = await withWebhook(before)
  await before.close()

  const rotating = await open(folder, `${newKey},${oldKey}`)
  const [readable] = await rotating.store.getWebhookSecrets(id)
  expect(rotating.seal.open(readable!, `webhook:${id}`).toString()).toBe('whsec_canary')
  expect(rotating.seal.isOld(readable!)).toBe(true)
  await resealAll(rotating, new AbortController().signal)
  await rotating.close()

  const after = await open(folder, newKey)
  const [secret] = await after.store.getWebhookSecrets(id)
  expect(after.seal.open(secret!, `webhook:${id}`).toString()).toBe('whsec_canary')
  await after.close()
})

test('a key that the data was not sealed with is refused at the start, naming the variable', async () => {
  const folder = dataDir()
  await (await open(folder, key())).close()
  await expect(open(folder, key())).rejects.toThrow(/POSTERN_SECRET_KEY/)
})

test('every sealed column can be read and replaced', async () => {
  const context = await open(dataDir(), `${key()},${key()}`)
  for (const column of SEALED_COLUMNS) {
    expect(
      await context.store.readSealedUnder({ column, keyIds: context.seal.oldKeyIds(), after: null, limit: 1 }),
    ).toEqual([])
  }
  await context.close()
})
