import { describe, expect, test } from 'vitest'
import { getOwn } from '../../src/runtime/get-own.ts'
import { cells } from '../harness/matrix.ts'
import { findLookUps, findLookUpsIn } from '../harness/look-ups.ts'

/** Safe look-ups by text, each with the reason. */
const SAFE: Record<string, string> = {
  'src/runtime/get-own.ts: table[key]': 'asks first whether the table itself has it',
  'portal/src/look-up.ts: table[key]': 'asks first whether the table itself has it',
  'packages/chatwoot/src/json.ts: json[name]': 'asks first whether the object itself has it',
  'packages/import/src/their-number.ts: value[name]': 'asks first whether the object itself has it',
  'src/http/sandbox/sandbox.ts: body[field]': 'the fields are written where it is called',
  'src/http/sandbox/sandbox.ts: found[field]': 'the fields are written where it is called',
  'portal/src/ui/filters.tsx: [name]: _old': 'the names are the fields that the page shows',
  'portal/src/ui/filters.tsx: filter[field.name]': 'the names are the fields that the page shows',
  'src/platform/whatsapp/wire/unwritable.ts: text in Object.prototype': 'asks for what objects inherit, to refuse it',
  'src/http/validate.ts: value[name]': 'the names are those of our own schema',
  'src/store/sqlite/driver.ts: row[column]': 'the names are columns of our own statements',
  'src/store/sqlite/driver.ts: row[name]': 'the names are columns of our own statements',
  'src/store/postgres/dialect.ts: columns[name]': 'the names are columns of our own statements',
  'src/store/postgres/dialect.ts: row[name]': 'the names are columns of our own statements',
  'src/store/postgres/transaction.ts: row[column]': 'the names are columns of our own statements',
  'src/store/moving/move-data.ts: row[column]': 'the names are columns of our own tables',
  'src/store/moving/move-data.ts: progress.tables[table.name]': 'the names are our own tables',
  'src/domain/fingerprint.ts: fields[name]': 'the names are the keys that the object itself has',
  'src/domain/redact.ts: object[key]': 'the names are the keys that the object itself has',
  'src/domain/redact.ts: mapped[key]': 'is written; the one name that must not be is defined instead',
  'src/net/exchange.ts: safe[name]': 'the names are the keys that the object itself has',
}

describe('Property look-ups by untrusted names', () => {
  // The compiler takes half a minute for all of them.
  const PROJECTS = [
    ['sdk/tsconfig.json', 'sdk/src'],
    ['tsconfig.json', 'packages'],
    ['tsconfig.json', 'src'],
    ['portal/tsconfig.json', 'portal/src'],
  ] as const
  test.each(cells(PROJECTS, 2))('by %s never find inherited properties in %s', (project, folder) => {
    const open = findLookUps(project, folder).filter(({ file, code }) => !Object.hasOwn(SAFE, `${file}: ${code}`))
    expect(open.map(({ file, line, code }) => `${file}:${line} ${code}: use getOwn, a Map or Object.hasOwn`)).toEqual(
      [],
    )
  })

  test('are all found by the rule, which ignores the others', () => {
    const found = findLookUpsIn(`
      declare const key: string, known: 'a' | 'b', at: number, list: string[], anything: any
      const table: Record<string, number> = { a: 1, b: 2 }
      const open = [table[key], table[known as string], list[anything], key in table, table[\`x\${key}\`]]
      const { [key]: taken } = table
      function generic<K extends string>(name: K) { return (table as Record<K, number>)[name] }
      table[key] = 1
      const closed = [table['a'], table.a, table[known], list[at], 'a' in table]
      function chosen<K extends 'a' | 'b'>(name: K) { return table[name] }
    `)
    expect(found.map(({ code }) => code)).toEqual([
      'table[key]',
      'table[known as string]',
      'list[anything]',
      'key in table',
      'table[`x${key}`]',
      '[key]: taken',
      '(table as Record<K, number>)[name]',
      'table[key]',
    ])
  })

  test.each(Object.getOwnPropertyNames(Object.prototype))('do not find %s in a table unless it was added', name => {
    expect(getOwn({ a: 1 }, name)).toBeUndefined()
    expect(getOwn(JSON.parse(`{"${name}":1}`) as Record<string, number>, name)).toBe(1)
  })
})
