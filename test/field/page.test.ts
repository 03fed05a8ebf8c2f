import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const COLUMNS = 7

/** The rows of the table, without its header. */
const rows = readFileSync(join(ROOT, 'docs/field.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('|'))
  .slice(2)
  .map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )

it('every row of docs/field.md says what breaks, what we do about it, and which tests cover it', () => {
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.filter(row => row.length !== COLUMNS)).toEqual([])
  expect(rows.filter(([part, breaks, , does]) => !part || !breaks || !does)).toEqual([])
})

it('the tests that docs/field.md names exist', () => {
  const named = new Set(rows.flatMap(row => [...row[COLUMNS - 1]!.matchAll(/`([\w/-]+)`/g)].map(match => match[1]!)))
  const pathOf = (name: string): string => join(ROOT, 'test', name.includes('/') ? name : `conformance/${name}`)
  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter(name => !existsSync(`${pathOf(name)}.test.ts`))).toEqual([])
})
