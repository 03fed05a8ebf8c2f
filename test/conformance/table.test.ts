import { readdirSync, readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import type { EventKind } from '../../src/domain/event.ts'
import { eventSchemas } from '../../src/http/openapi/event-schemas.ts'
import { testNames } from '../harness/test-names.ts'

interface Row {
  section: string
  subject: string
  file: string
  name: string
}

const namesOf = new Map<string, string[]>()
const names = (file: string): string[] => {
  const folder = file.startsWith('src/') ? '' : 'test/'
  if (!namesOf.has(file)) namesOf.set(file, testNames(`${folder}${file}.test.ts`))
  return namesOf.get(file)!
}

function readRows(): Row[] {
  const rows: Row[] = []
  let section = ''
  for (const line of readFileSync('docs/conformance.md', 'utf8').split('\n')) {
    section = /^##+ (.+)$/.exec(line)?.[1] ?? section
    const [subject, , case_, ...rest] = line.startsWith('|') ? line.slice(1, -1).split(' | ') : []
    if (subject === undefined || case_ === undefined || /^Case|^-/.test(case_.trim())) continue
    const [, file = '', name = ''] = /^`([\w./-]+)` (.+?)\s*$/.exec(case_.trim()) ?? []
    expect(rest, line).toEqual([])
    rows.push({ section, subject: subject.trim(), file: file.includes('/') ? file : `conformance/${file}`, name })
  }
  return rows
}

const rows = readRows()

/** Every field of a kind, with the paths of fields in nested objects. */
function fieldsOf(schema: TSchema, prefix = ''): string[] {
  const { properties = {} } = schema as { properties?: Record<string, TSchema> }
  return Object.entries(properties).flatMap(([name, field]) =>
    'properties' in field ? fieldsOf(field, `${prefix}${name}.`) : [`${prefix}${name}`],
  )
}

describe('docs/conformance.md', () => {
  test('every row names a test that exists in its file', () => {
    expect(rows.length).toBeGreaterThan(200)
    for (const { section, subject, file, name } of rows)
      expect(names(file), `${section} | ${subject} | ${file}`).toContain(name)
  })

  const files = readdirSync('test/conformance').filter(file => /^(events|contents|whatsapp-findings)/.test(file))
  test.each(files)('every test of %s is in a row', file => {
    const path = `conformance/${file.replace('.test.ts', '')}`
    const named = new Set(rows.filter(row => row.file === path).map(row => row.name))
    expect(names(path).filter(name => !named.has(name))).toEqual([])
  })

  test.each(Object.keys(eventSchemas) as EventKind[])('every field of kind %s has a row', kind => {
    const named = new Set(rows.filter(({ section }) => section === `Kind \`${kind}\``).map(({ subject }) => subject))
    expect(fieldsOf(eventSchemas[kind].schema).filter(field => !named.has(`\`${field}\``))).toEqual([])
  })

  test('no row occurs twice', () => {
    const lines = readFileSync('docs/conformance.md', 'utf8')
      .split('\n')
      .filter(line => line.startsWith('| '))
    expect(lines.filter((line, index) => lines.indexOf(line) !== index && !/^\| (Field|Content)/.test(line))).toEqual(
      [],
    )
  })
})
