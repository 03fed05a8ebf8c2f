import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitsOf, PLANS } from '../../src/domain/account.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { deliveriesKeptMs, KEPT_MS } from '../../src/domain/retention.ts'

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

  it('names tests that exist', () => {
    for (const cells of rows) {
      const [file, name] = cells[5]!.replaceAll('`', '').split(' › ')
      expect(readFileSync(resolve(ROOT, 'test', file!), 'utf8'), `${file}: ${name}`).toContain(name)
    }
  })
})

const DAY_MS = 86_400_000
function lasting(ms: number): string {
  if (ms >= DAY_MS) return ms === DAY_MS ? '1 day' : `${ms / DAY_MS} days`
  return ms === 3_600_000 ? '1 hour' : `${ms / 1_000} seconds`
}

describe('The retention table in docs/operations.md', () => {
  it('gives each period, in the order of the code', () => {
    const operations = readFileSync(resolve(ROOT, 'docs/operations.md'), 'utf8')
    const table = operations.split('| Kept for |\n|---|---|\n')[1]!.split('\n\n')[0]!
    const times = table.split('\n').map(row => row.split('|')[2]!.trim())
    const ofPlans = PLANS.map(plan => deliveriesKeptMs(plan) / DAY_MS).join(' / ')
    expect(times).toEqual([`${ofPlans} days`, ...Object.values(KEPT_MS).map(lasting)])
  })
})
