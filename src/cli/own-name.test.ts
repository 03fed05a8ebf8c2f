import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nameOf } from './own-name.ts'

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

it('the command is npx postern in a clone', () => {
  expect(nameOf(program('clone/bin/postern.mjs'), join(root, 'clone'), '')).toBe('npx postern')
})

it('the command is npx postern in a folder that has the package installed', () => {
  const at = program('app/node_modules/postern/bin/postern.mjs')
  const bin = link('app/node_modules/.bin/postern', at)
  expect(nameOf(bin, join(root, 'app'), dirname(bin))).toBe('npx postern')
})

it('the command is postern if it is installed globally', () => {
  const bin = link('usr/bin/postern', program('usr/lib/node_modules/postern/bin/postern.mjs'))
  expect(nameOf(bin, root, `/nowhere:${dirname(bin)}`)).toBe('postern')
})

it('the command is the path of the program in the cache of npx, and next to another program of the same name', () => {
  const at = program('npx/node_modules/postern/bin/postern.mjs')
  const bin = link('npx/node_modules/.bin/postern', at)
  expect(nameOf(bin, root, dirname(bin))).toBe(`node ${at}`)
  expect(nameOf(bin, root, dirname(program('other/postern')))).toBe(`node ${at}`)
})
