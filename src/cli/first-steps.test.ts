import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownName } from './first-steps.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'postern-name-')))
})
afterEach(() => rmSync(root, { recursive: true }))

function program(path: string): string {
  const at = join(root, path)
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, '')
  return at
}

function link(path: string, to: string): string {
  const at = join(root, path)
  mkdirSync(dirname(at), { recursive: true })
  symlinkSync(to, at)
  return at
}

it('in a clone npx finds it', () => {
  expect(ownName(program('clone/bin/postern.mjs'), join(root, 'clone'), '')).toBe('npx postern')
})

it('in a folder that it is installed in npx finds it', () => {
  const at = program('app/node_modules/postern/bin/postern.mjs')
  const bin = link('app/node_modules/.bin/postern', at)
  expect(ownName(bin, join(root, 'app'), dirname(bin))).toBe('npx postern')
})

it('installed for all it has a name', () => {
  const bin = link('usr/bin/postern', program('usr/lib/node_modules/postern/bin/postern.mjs'))
  expect(ownName(bin, root, `/nowhere:${dirname(bin)}`)).toBe('postern')
})

it('out of the cache of npx it is named by its path, and so beside a stranger of the same name', () => {
  const at = program('npx/node_modules/postern/bin/postern.mjs')
  const bin = link('npx/node_modules/.bin/postern', at)
  expect(ownName(bin, root, dirname(bin))).toBe(`node ${at}`)
  expect(ownName(bin, root, dirname(program('other/postern')))).toBe(`node ${at}`)
})
