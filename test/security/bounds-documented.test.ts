import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitsOf, PLANS } from '../../src/domain/account.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const security = readFileSync(resolve(ROOT, 'docs/security.md'), 'utf8')
const rows = security
  .split('\n')
  .filter(line => line.startsWith('|') && line.includes('.test.ts'))
  .map(line => line.split('|').map(cell => cell.trim()))
  .filter(cells => cells.length === 7)
const limits = rows.map(cells => cells[3]!)
const [MIB, GIB] = [2 ** 20, 2 ** 30]
function shown(n: number): string {
  if (n >= GIB) return `${n / GIB} GiB`
  return n >= MIB ? `${n / MIB} MiB` : n.toLocaleString('en-US')
}

describe('The table of bounds in docs/security.md', () => {
  it.each(Object.entries(BOUNDS))('names %s with its limit', (_name, limit) => {
    expect(limits.some(cell => cell.includes(shown(limit)))).toBe(true)
  })

  it.each(['keys', 'sandbox_sessions', 'waiting_messages'] as const)('names %s with the limit of each plan', name => {
    const cell = PLANS.map(plan => shown(limitsOf({ plan, limitOverrides: {} })[name]!)).join(' / ')
    expect(limits).toContain(cell)
  })

  it('names tests that there are', () => {
    for (const cells of rows) {
      const [file, name] = cells[5]!.replaceAll('`', '').split(' › ')
      expect(readFileSync(resolve(ROOT, 'test', file!), 'utf8'), `${file}: ${name}`).toContain(name)
    }
  })
})
