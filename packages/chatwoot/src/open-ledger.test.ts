import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeBridgeFolder } from './open-ledger.ts'

const base = mkdtempSync(join(tmpdir(), 'postern-folder-'))
afterAll(() => rmSync(base, { recursive: true }))

const folderWith = (mode: number, ...files: string[]): string => {
  const folder = mkdtempSync(join(base, 'folder-'))
  for (const name of files) writeFileSync(join(folder, name), '')
  chmodSync(folder, mode)
  return folder
}

it.each([
  ['a new one', () => join(base, 'new', 'er')],
  ['an empty one', () => folderWith(0o755)],
  ['an own one', () => folderWith(0o777, 'bridge.db', 'webhook-url')],
])('%s is closed to others', (_, make) => {
  const folder = make()
  makeBridgeFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

it('one with other things in it is refused while others can read it, and left as it is', () => {
  const folder = folderWith(0o755, 'letters.txt')
  mkdirSync(join(folder, 'more'))
  expect(() => makeBridgeFolder(folder)).toThrow(/is open to others\. Close it \(chmod 700\)/)
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  chmodSync(folder, 0o700)
  makeBridgeFolder(folder)
})
