import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { Placeholders } from './placeholders.ts'
import { Recorder } from './recorder.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-recorder-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the oldest recordings go also while pairings come', async () => {
  const recorder = new Recorder({ clock: systemClock, folder, network: 'sandbox', onFile: () => {} })
  for (let file = 0; file < 520; file += 1)
    writeFileSync(join(folder, `2000-${String(file).padStart(4, '0')}.jsonl`), '')
  for (let pairing = 0; pairing < 20; pairing += 1) recorder.begin({ auth: { creds: {} } } as never)
  await vi.waitFor(() => expect(readdirSync(folder)).not.toContain('2000-0000.jsonl'))
})

it('ids are remembered up to a number, long ones too', () => {
  const placeholders = new Placeholders(() => false)
  const long = 'x'.repeat(5_000)
  expect([placeholders.id(long), placeholders.id(`${long}y`), placeholders.id(long)]).toEqual(['id#1', 'id#2', 'id#1'])
  for (let id = 0; id < 2_000; id += 1) placeholders.id(String(id))
  expect(placeholders.id(long)).toBe('id#2003')
})
