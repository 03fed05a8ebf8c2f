import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Placeholders } from './placeholders.ts'
import { Recorder } from './recorder.ts'

const clock = { now: () => new Date(), monotonicMs: () => performance.now() }
const folder = mkdtempSync(join(tmpdir(), 'postern-recorder-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const OLD = '20000101T000000-sandbox-00000000'

it('the recorder removes the oldest recordings also while pairings arrive', async () => {
  const recorder = new Recorder({ clock, folder, network: 'sandbox', onFile: () => {} })
  for (let file = 0; file < 520; file += 1)
    writeFileSync(join(folder, `${OLD}-${String(file).padStart(4, '0')}.jsonl`), '')
  for (let pairing = 0; pairing < 20; pairing += 1) recorder.begin({ auth: { creds: {} } } as never)
  await expect.poll(() => readdirSync(folder)).not.toContain(`${OLD}-0000.jsonl`)
})

it('placeholders forget the oldest ids beyond a limit, long ids too', () => {
  const placeholders = new Placeholders(() => false)
  const long = 'x'.repeat(5_000)
  expect([placeholders.id(long), placeholders.id(`${long}y`), placeholders.id(long)]).toEqual(['id#1', 'id#2', 'id#1'])
  for (let id = 0; id < 2_000; id += 1) placeholders.id(String(id))
  expect(placeholders.id(long)).toBe('id#2003')
})
