import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Recording, removeOldRecordings } from './recording.ts'

const root = mkdtempSync(join(tmpdir(), 'postern-recording-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const BOUNDS = { fileBytes: 200, files: 2, waitingBytes: 10_000 }
const linesOf = (folder: string): object[] =>
  readdirSync(folder)
    .sort()
    .flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map(line => JSON.parse(line) as object)

it('a folder and files that only their owner reads, each with its head', async () => {
  const folder = join(root, 'new', 'folder')
  const recording = new Recording(folder, 'a', () => ({ recording: 1 }))
  recording.add({ line: 1 })
  await recording.flush()
  recording.add({ line: 2 })
  await recording.flush()
  expect(linesOf(folder)).toEqual([{ recording: 1, file: 1 }, { line: 1 }, { line: 2 }])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(recording.path).mode & 0o777).toBe(0o600)
})

it('a full file is followed by another, and the oldest of a number goes', async () => {
  const folder = join(root, 'rotating')
  const recording = new Recording(folder, 'a', () => ({ recording: 1 }), BOUNDS)
  for (let line = 1; line <= 60; line++) recording.add({ line })
  await recording.flush()
  const names = readdirSync(folder).sort()
  expect(names).toHaveLength(2)
  expect(names[0]).not.toBe('a-0001.jsonl')
  expect(linesOf(folder).at(-1)).toEqual({ line: 60 })
  for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThan(250)
})

it('what comes faster than it can be written is counted and left out', async () => {
  const folder = join(root, 'fast')
  const recording = new Recording(folder, 'a', () => ({ recording: 1 }), { ...BOUNDS, waitingBytes: 30 })
  for (let line = 1; line <= 9; line++) recording.add({ line })
  await recording.flush()
  expect(linesOf(folder).at(-1)).toEqual({ leftOut: 7 })
})

it('a folder that cannot be written costs the recording alone', async () => {
  writeFileSync(join(root, 'file'), '')
  const recording = new Recording(join(root, 'file'), 'a', () => ({ recording: 1 }))
  recording.add({ line: 1 })
  await expect(recording.flush()).resolves.toBeUndefined()
})

it('of many recordings the oldest go, and files that are no recordings stay', async () => {
  const folder = join(root, 'many')
  const nameOf = (second: number): string => `20260131T12000${second}-whatsapp-0123abcd`
  for (const second of [3, 1, 2]) {
    const recording = new Recording(folder, nameOf(second), () => ({ recording: 1 }))
    recording.add({})
    await recording.flush()
  }
  const foreign = ['0-mine.jsonl', '20200101-0001.jsonl', 'notes.txt']
  for (const name of foreign) writeFileSync(join(folder, name), '')
  await removeOldRecordings(folder, 2)
  expect(readdirSync(folder).sort()).toEqual([...foreign, `${nameOf(2)}-0001.jsonl`, `${nameOf(3)}-0001.jsonl`].sort())
})
