import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { JobRing, MediaExaminer, type Turn } from './examine-media.ts'

let folder: string
let entry: string
let notes: string
const never = new AbortController().signal
const TURN = { owner: 'A', number: 'a' }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-test-'))
  entry = join(folder, 'examiner.mjs')
  notes = join(folder, 'notes')
  writeFileSync(notes, '')
  writeFileSync(
    entry,
    `import { appendFileSync } from 'node:fs'
     const note = text => appendFileSync(${JSON.stringify(notes)}, text + '\\n')
     process.on('disconnect', () => process.exit())
     process.on('message', ({ path }) => {
       note(path + ' ' + Object.keys(process.env).filter(name => /POSTERN|PATH|HOME/.test(name)))
       if (path === 'hang') for (;;);
       if (path === 'crash') process.abort()
       process.send({ thumbnail: path })
     })`,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

const order = () => readFileSync(notes, 'utf8').trim().split('\n')

test('a file that takes too long or kills the examiner does not affect other files', async () => {
  const examiner = new MediaExaminer({ entry, workMs: 1_500, waitMs: 60_000 })
  const look = (path: string) => examiner.examine(TURN, { about: 'thumbnail', path, key: '' }, never)
  const found = await Promise.all(['one', 'hang', 'two', 'crash', 'three'].map(look))
  expect(found).toEqual([{ thumbnail: 'one' }, {}, { thumbnail: 'two' }, {}, { thumbnail: 'three' }])
})

test('numbers take turns, and the examiner gets no environment variables', async () => {
  writeFileSync(notes, '')
  const examiner = new MediaExaminer({ entry, workMs: 60_000, waitMs: 60_000 })
  const look = (number: string, path: string) =>
    examiner.examine({ owner: 'A', number }, { about: 'thumbnail', path, key: '' }, never)
  await Promise.all([look('a', 'a1'), look('a', 'a2'), look('a', 'a3'), look('b', 'b1'), look('c', 'c1')])
  expect(order().map(line => line.trimEnd())).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
})

test('a job that waits too long or is aborted is not examined', async () => {
  const examiner = new MediaExaminer({ entry, workMs: 2_000, waitMs: 300 })
  const look = (path: string, signal = never) => examiner.examine(TURN, { about: 'thumbnail', path, key: '' }, signal)
  const stopped = AbortSignal.abort()
  const slow = look('hang')
  expect(await Promise.all([look('late'), look('unwanted', stopped)])).toEqual([
    { isUnexamined: true },
    { isUnexamined: true },
  ])
  expect(await slow).toEqual({})
})

it.each([
  { added: '', taken: '' },
  { added: 'a1 a2 a3', taken: 'a1 a2 a3' },
  { added: 'a1 a2 a3 b1 c1', taken: 'a1 b1 c1 a2 a3' },
  { added: 'a1 b1 a2 b2', taken: 'a1 b1 a2 b2' },
  // An account with many numbers gets as many turns as an account with one.
  { added: 'a1 b1 c1 d1 Z1 Z2 a2', taken: 'a1 Z1 b1 Z2 c1 d1 a2' },
])('jobs $added are taken in the order $taken', ({ added, taken }) => {
  const ring = new JobRing<{ turn: Turn; name: string }>()
  for (const name of added.split(' ').filter(Boolean)) {
    const number = name[0]!
    ring.add({ turn: { owner: number === 'Z' ? 'other account' : 'account', number }, name })
  }
  const order: string[] = []
  for (let job = ring.take(); job; job = ring.take()) order.push(job.name)
  expect(order.join(' ')).toBe(taken)
})

it('a removed job is not taken, and is removed once', () => {
  const ring = new JobRing<{ turn: Turn }>()
  const [one, other] = [{ turn: TURN }, { turn: TURN }]
  ring.add(one)
  ring.add(other)
  expect([ring.remove(one), ring.remove(one)]).toEqual([true, false])
  expect([ring.take(), ring.take()]).toEqual([other, undefined])
})
