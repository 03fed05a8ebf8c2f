import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MATRICES } from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as { version: string; engines: { node: string } }

describe('Decisions', () => {
  const pages = readdirSync(join(ROOT, 'docs/decisions')).filter(name => /^\d/.test(name))
  const list = read('docs/decisions/README.md')
  const HEAD = /^# .+\n\nDate: (\d{4}-\d\d-\d\d) · Status: (accepted|superseded by .+)\n\n/

  it.each(pages)('include %s with a date and a status, and it is in the list with its date', name => {
    const found = HEAD.exec(read(`docs/decisions/${name}`))
    expect(found).not.toBeNull()
    const row = list.split('\n').find(line => line.includes(`](${name})`))
    expect(row).toMatch(new RegExp(`\\| ${found![1]} \\|$`))
  })
})

describe('The changelog', () => {
  const [, ...sections] = read('CHANGELOG.md').split(/^## /m)

  it('begins with what is not released yet, and names the version of the package', () => {
    const headings = sections.map(section => section.slice(0, section.indexOf('\n')))
    expect(headings[0]).toBe('Unreleased')
    for (const heading of headings.slice(1)) expect(heading).toMatch(/^\d+\.\d+\.\d+\S* – \d{4}-\d\d-\d\d$/)
    expect(headings.some(heading => heading.startsWith(`${manifest.version} `))).toBe(true)
  })

  it('names what was added, changed and fixed, and what is known to be missing', () => {
    const titles = sections.flatMap(section => [...section.matchAll(/^### (.*)$/gm)].map(match => match[1]))
    const allowed = ['Added', 'Changed', 'Fixed', 'Known limits']
    expect(titles.filter(title => !allowed.includes(title!))).toEqual([])
  })
})

describe('The workflows', () => {
  const folder = '.github/workflows'
  const files = readdirSync(join(ROOT, folder)).map(name => read(`${folder}/${name}`))

  it('use every action by its commit, with the version beside it', () => {
    const used = files.flatMap(text => [...text.matchAll(/\buses: (.*)$/gm)].map(match => match[1]!))
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter(action => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  it('run the commands of the README', () => {
    expect(read('README.md')).toContain('npm ci && npm test')
    expect(read(`${folder}/test.yml`)).toContain('npm ci && npm test')
  })
})

it('.nvmrc is the oldest version of Node that the package allows', () => {
  expect(`>=${read('.nvmrc').trim()}`).toBe(manifest.engines.node)
})

const testsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => path.endsWith('.test.ts') && !path.includes('node_modules'))

const TESTS = ['src', 'simulator/src', 'sdk/src', 'packages', 'portal/e2e', 'test', 'integrations/test'].flatMap(
  testsIn,
)

it('no test gives up before its own timeout: vi.waitFor and vi.waitUntil end after a second', () => {
  const others = TESTS.filter(path => path !== 'test/repository.test.ts')
  expect(others.filter(path => /\bvi\.wait(For|Until)\b/.test(read(path)))).toEqual([])
})

describe('Matrices', () => {
  const withoutBraces = (pattern: string): string[] => {
    const [whole, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? []
    return whole === undefined ? [pattern] : names!.split(',').map(name => before + name + after)
  }
  it('that the suite runs in part are run whole by test:long', () => {
    const takesAPart = (path: string) => /harness\/matrix\.ts'|\bONE_STORE\b|\bonAnyStore\b/.test(read(path))
    const short = TESTS.filter(path => !path.endsWith('.long.test.ts') && path !== 'test/repository.test.ts')
    expect(short.filter(takesAPart).sort()).toEqual(MATRICES.flatMap(withoutBraces).sort())
  })
})
