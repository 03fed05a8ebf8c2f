import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unredacted } from '../harness/recorded-values.ts'
import { type FieldRig, openFieldRig } from './field-rig.ts'
import { replay } from './replay.ts'
import { recordScene, SCENES } from './sandbox-scenes.ts'

const FOLDER = join(import.meta.dirname, 'recordings')

let field: FieldRig
beforeAll(async () => {
  field = await openFieldRig()
})
afterAll(() => field.close())

async function expectAnsweredTheSame(path: string): Promise<void> {
  const { stanzas, answered, differences, links } = await replay(field, path)
  expect(differences).toEqual([])
  expect(stanzas).toBeGreaterThan(0)
  expect(answered).toBeGreaterThan(0)
  expect(links).toEqual([])
}

it.each(Object.keys(SCENES))('a new recording of %s gives the same answers in a replay', async name => {
  const path = await recordScene(field, name)
  await expectAnsweredTheSame(path)
  // After a change of the answers, FIELD_RECORD=1 replaces the old recording.
  if (process.env.FIELD_RECORD === '1') copyFileSync(path, join(FOLDER, `${name}.jsonl`))
})

const recordings = readdirSync(FOLDER).filter(name => name.endsWith('.jsonl'))

it.each(recordings)('%s reveals nothing', name => {
  expect(unredacted(readFileSync(join(FOLDER, name), 'utf8'))).toEqual([])
})

it.each(recordings)('the gateway answers the stanzas in %s as it did then, or as it should have', name =>
  expectAnsweredTheSame(join(FOLDER, name)),
)
