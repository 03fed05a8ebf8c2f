import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositories } from '../src/store/repositories.ts'

const SRC = resolve(import.meta.dirname, '../src')
const SIMULATOR = resolve(import.meta.dirname, '../simulator/src')

interface Source {
  path: string
  text: string
}

function* sourcesOf(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* sourcesOf(path)
    else if (name.endsWith('.ts')) yield path
  }
}

const readSources = (root: string): Source[] =>
  [...sourcesOf(root)].map(path => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }))
const isProduction = ({ path }: Source): boolean => !path.endsWith('.test.ts')

const sources = readSources(SRC)
const production = sources.filter(isProduction)
const simulator = readSources(SIMULATOR)
/** What holds for every file of the program, the simulator's too. */
const everything = [...sources, ...simulator]
const inside = (folder: string) => production.filter(({ path }) => path.startsWith(`${folder}/`))

/** Files that put others together, or that look at everything on purpose. */
const USE_MANY_REPOSITORIES = [
  'http/gauges.ts',
  'http/live/live-polls.ts',
  'http/operator/overview.ts',
  'maintenance/maintenance.ts',
  'worker/commands/command-runner.ts',
  'worker/deps.ts',
  'worker/host.ts',
  'worker/hosted-number.ts',
  'worker/hosted-numbers.ts',
  'worker/inbox/unhosted-inbox.ts',
  'worker/load-platform.ts',
  'worker/unhosted-commands.ts',
]

/** The repositories that a file uses: by a call, in a type, or by destructuring. */
function repositoriesIn(text: string): string[] {
  const calls = [...text.matchAll(/\b[sS]tore\s*[?!]?\.\s*(\w+)/g), ...text.matchAll(/\bStore\['(\w+)'\]/g)]
  const picked = [...text.matchAll(/Pick<\s*Store,([^>]*)>/g)].flatMap(match => [...match[1]!.matchAll(/'(\w+)'/g)])
  const taken = [...text.matchAll(/\{([^{}]*)\} = (?:\w|\.|#)*\b[sS]tore$/gm)].flatMap(match => [
    ...match[1]!.matchAll(/(\w+)/g),
  ])
  return [...calls, ...picked, ...taken].map(match => match[1]!).filter(name => Object.hasOwn(repositories, name))
}

const COMMENT = /^\s*(\/\*\*|\*|\/\/).*$/gm
const LITERAL = /`[^`]*`|'[^'\n]*'|"[^"\n]*"/g
const SENTENCE = /^[A-Za-z]+( [a-z]+){2}/
const SQL =
  /^(select|case when|for key share|insert|update|delete|with|on conflict|and|or|where|returning|order|left|join|exists|not exists)\b/

/** Literals of several words that are no SQL and no fault of the program. */
const sentencesOf = (text: string): string[] =>
  [
    ...text
      .replace(COMMENT, '')
      .replace(/\bnew Error\([^)]*\)/g, '')
      .matchAll(LITERAL),
  ]
    .map(match => match[0].slice(1, -1).trim())
    .filter(literal => SENTENCE.test(literal) && !SQL.test(literal))

/** The last argument of each call that writes to a log. */
function logNames(text: string): string[] {
  return [...text.matchAll(/\w*[lL]og\.(?:debug|info|warn|error)\(/g)].map(({ 0: call, index }) => {
    const begins = index + call.length
    let depth = 1
    let end = begins
    for (; depth > 0; end++) depth += { '(': 1, ')': -1 }[text[end]!] ?? 0
    const last = /([^,(]*?),?\s*$/.exec(text.slice(begins, end - 1))![1]!
    return last.trim()
  })
}

describe('architecture', () => {
  it('code that uses the store names the repositories that it uses', () => {
    const whole = /Pick<(Context|HostDeps),[^>]*'store'|Context\['store'\]|\b#?store: Store\b/
    const askers = production.filter(({ path }) => !path.startsWith('store/') && path !== 'context.ts')
    expect(askers.filter(({ text }) => whole.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('what is said to a customer is not decided in the store', () => {
    const queries = inside('store').filter(({ path }) => /^store\/(?!sqlite|postgres|migrations)[\w-]+\//.test(path))
    expect(queries.length).toBeGreaterThan(50)
    const said = queries.flatMap(({ path, text }) => sentencesOf(text).map(sentence => ({ path, sentence })))
    expect(said).toEqual([])
  })

  it('only config and cli read the environment', () => {
    const others = everything.filter(
      source => isProduction(source) && source.path !== 'config.ts' && !source.path.startsWith('cli/'),
    )
    expect(others.filter(({ text }) => text.includes('process.env')).map(({ path }) => path)).toEqual([])
  })

  it('a file uses at most three repositories, except for files that put others together', () => {
    const users = production.filter(({ path }) => !path.startsWith('store/'))
    const many = users.filter(({ text }) => new Set(repositoriesIn(text)).size > 3)
    expect(many.map(({ path }) => path).filter(path => !USE_MANY_REPOSITORIES.includes(path))).toEqual([])
  })

  it('there is no SQL outside of the store', () => {
    const sql = /\b(select .+ from|insert into|delete from|update \w+ set|create (table|index)|substr\()/i
    const outside = [...production, ...simulator.filter(isProduction)].filter(({ path }) => !path.startsWith('store/'))
    const literals = (text: string) => [...text.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g)].map(match => match[0])
    expect(outside.filter(({ text }) => literals(text).some(each => sql.test(each))).map(({ path }) => path)).toEqual(
      [],
    )
  })

  it('there are no default exports, no barrels, no forbidden names', () => {
    const files = everything.filter(isProduction)
    expect(files.filter(({ text }) => /^export default/m.test(text)).map(({ path }) => path)).toEqual([])
    expect(files.filter(({ path }) => /(^|\/)(index|utils?|helpers?|common|types|base)\.ts$/.test(path))).toEqual([])
    expect(files.filter(({ text }) => /^export \* from/m.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('the ways that are written down lead through functions that are there, each visited once', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../docs/architecture.md'), 'utf8')
    const steps = [...page.matchAll(/^\d+\. `([\w/.-]+)` `(#?\w+)`/gm)].map(([, path, name]) => ({ path, name }))
    expect(steps.length).toBeGreaterThan(30)
    expect(new Set(steps.map(({ path, name }) => `${path} ${name}`)).size).toBe(steps.length)
    const isThere = ({ path, name }: (typeof steps)[number]): boolean => {
      const text = production.find(each => each.path === path)?.text ?? ''
      return new RegExp(`^ *(export )?(async )?function ${name}\\b|^  (async )?${name}\\(`, 'm').test(text)
    }
    expect(steps.filter(step => !isThere(step))).toEqual([])
  })

  it('tests of the specification ask over HTTP; a role that is tried without it has a folder of its own', () => {
    const folder = resolve(import.meta.dirname, 'spec')
    const files = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter(({ text }) => /\bopen(Delivery|Hosting)\b/.test(text)).map(({ name }) => name)).toEqual([])
    const asks = /harness\/(gateway|process|portal|openapi|chatwoot-bridge)\.ts'/
    expect(files.filter(({ text }) => !asks.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('a line of the log is named by its area and what happened', () => {
    const names = production.flatMap(({ path, text }) => logNames(text).map(name => ({ path, name })))
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter(({ name }) => !/^('[a-z_]+(\.[a-z_]+)+'|`\$\{this\.#name\}_failed`)$/.test(name))).toEqual([])
    // A repeating task logs its failures under its own name.
    const loops = production.flatMap(({ text }) => [
      ...text.matchAll(/new RepeatingTask\(\s*(?:\{[^}]*\}|[^,{]+),\s*([^,]+),/g),
      // Where a class makes several, it hands their names on.
      ...text.matchAll(/this\.#every\(([^,]+),/g),
    ])
    expect(loops.length).toBeGreaterThan(15)
    expect(loops.map(match => match[1]!).filter(name => !/^('[a-z_]+\.[a-z_]+'|name)$/.test(name))).toEqual([])
  })

  it('time and chance come from one place each, and what is repeated from RepeatingTask', () => {
    const timeless = [...production, ...simulator.filter(isProduction)].filter(
      ({ path }) => !/^(runtime\/)?(clock|random)\.ts$/.test(path),
    )
    const breaks = (pattern: RegExp) => timeless.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
    expect(breaks(/\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\bMath\.random\b/)).toEqual([])
    expect(breaks(/\bsetInterval\b/)).toEqual([])
  })

  it('nothing prints but the command line', () => {
    const talkers = everything.filter(({ path, text }) => !path.startsWith('cli/') && /\bconsole\.\w+\(/.test(text))
    expect(talkers.map(({ path }) => path)).toEqual([])
  })
})
