import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositories } from '../src/store/repositories.ts'

const SRC = resolve(import.meta.dirname, '../src')
const SIMULATOR = resolve(import.meta.dirname, '../simulator/src')

interface Source {
  path: string
  text: string
  /** Local files relative to their root, and packages by name; types included. */
  imports: string[]
  /** Imports with a dot, as written. */
  dotted: string[]
}

function* sourcesOf(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* sourcesOf(path)
    else if (name.endsWith('.ts')) yield path
  }
}

function importsOf(root: string, path: string, text: string): Pick<Source, 'imports' | 'dotted'> {
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(match => match[1]!)
  const isDotted = (name: string) => name.startsWith('.')
  return {
    imports: found.map(name => (isDotted(name) ? relative(root, resolve(dirname(path), name)) : name)),
    dotted: found.filter(isDotted),
  }
}

const readSources = (root: string): Source[] =>
  [...sourcesOf(root)].map(path => {
    const text = readFileSync(path, 'utf8')
    return { path: relative(root, path), text, ...importsOf(root, path, text) }
  })
const isProduction = ({ path }: Source): boolean => !path.endsWith('.test.ts')

const sources = readSources(SRC)
const production = sources.filter(isProduction)
const simulator = readSources(SIMULATOR)
/** The rules for every file of the program, including the simulator's. */
const everything = [...sources, ...simulator]
const inside = (folder: string) => production.filter(({ path }) => path.startsWith(`${folder}/`))

/** Every import of these files that the rule forbids, as `file → import`. */
const breaches = (files: Source[], forbidden: (name: string, path: string) => boolean): string[] =>
  files.flatMap(({ path, imports }) => imports.filter(name => forbidden(name, path)).map(name => `${path} → ${name}`))

/** Files that combine others, or that inspect everything on purpose. */
const USE_MANY_REPOSITORIES = [
  'cli/move/move-data.ts',
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
  /^(select|for key share|insert|update|delete|with|on conflict|and|or|where|returning|order|left|join|exists|not exists)\b/

/** Literals of several words that are neither SQL nor a defect. */
const sentencesOf = (text: string): string[] =>
  [
    ...text
      .replace(COMMENT, '')
      .replace(/\bnew Error\([^)]*\)/g, '')
      .matchAll(LITERAL),
  ]
    .map(match => match[0].slice(1, -1).trim())
    .filter(literal => SENTENCE.test(literal) && !SQL.test(literal))

/** The last argument of each call to a logger. */
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

/** Files that import themselves indirectly, types included: each cycle as the files on its way. */
function circlesOf(files: Source[]): string[][] {
  const importsBy = new Map(files.map(({ path, imports }) => [path, imports]))
  const seen = new Set<string>()
  const circles: string[][] = []
  const visit = (path: string, way: string[]): void => {
    if (way.includes(path)) circles.push(way.slice(way.indexOf(path)))
    if (seen.has(path)) return
    seen.add(path)
    for (const next of importsBy.get(path) ?? []) if (importsBy.has(next)) visit(next, [...way, path])
  }
  for (const path of importsBy.keys()) visit(path, [])
  return circles
}

describe('The architecture', () => {
  it('domain imports only domain and runtime, and runtime only itself', () => {
    expect(inside('domain').length).toBeGreaterThan(10)
    expect(breaches(inside('domain'), name => !/^(domain\/|runtime\/|node:)/.test(name))).toEqual([])
    expect(breaches(inside('runtime'), name => !/^(runtime\/|node:)/.test(name))).toEqual([])
  })

  it('the simulator imports nothing of the gateway, and only sandbox imports the simulator', () => {
    expect(simulator.length).toBeGreaterThan(50)
    expect(breaches(simulator, name => /^(\.\.\/|@postern\/|#)/.test(name))).toEqual([])
    const others = production.filter(({ path }) => !path.startsWith('sandbox/'))
    expect(breaches(others, name => /^(#|@postern\/)simulator(\/|$)|(^|\/)simulator\/src\//.test(name))).toEqual([])
    expect(breaches(inside('sandbox'), name => name.startsWith('../'))).toEqual([])
  })

  it('no file imports itself indirectly, types included', () => {
    expect(circlesOf(sources)).toEqual([])
    expect(circlesOf(simulator)).toEqual([])
  })

  it('http, worker, dispatcher and sandbox never import each other', () => {
    const stages = ['http', 'worker', 'dispatcher', 'sandbox']
    for (const stage of stages) {
      const others = stages.filter(each => each !== stage)
      expect(breaches(inside(stage), name => others.some(other => name.startsWith(`${other}/`)))).toEqual([])
    }
  })

  it('lower layers never import the roles above them', () => {
    const above = ['http/', 'worker/', 'dispatcher/', 'sandbox/', 'cli/', 'gateway.ts']
    for (const folder of ['store', 'net', 'actions', 'platform', 'domain']) {
      expect(breaches(inside(folder), name => above.some(each => name.startsWith(each)))).toEqual([])
    }
    expect(breaches(inside('store'), name => name.startsWith('actions/') || name.startsWith('platform/'))).toEqual([])
    expect(breaches(inside('net'), name => /^(store|actions|platform)\//.test(name))).toEqual([])
  })

  it('code that uses the store names the repositories that it uses', () => {
    const whole = /Pick<(Context|HostDeps),[^>]*'store'|Context\['store'\]|\b#?store: Store\b/
    const askers = production.filter(({ path }) => !path.startsWith('store/') && path !== 'context.ts')
    expect(askers.filter(({ text }) => whole.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('the store does not decide the texts that customers read', () => {
    expect(breaches(inside('store'), name => name === 'domain/errors.ts')).toEqual([])
    const queries = inside('store').filter(({ path }) =>
      /^store\/(?!sqlite|postgres|migrations|bridge)[\w-]+\//.test(path),
    )
    expect(queries.length).toBeGreaterThan(60)
    const said = queries.flatMap(({ path, text }) => sentencesOf(text).map(sentence => ({ path, sentence })))
    expect(said).toEqual([])
  })

  it('only platform/whatsapp imports the engine', () => {
    const free = production.filter(({ path }) => !path.startsWith('platform/whatsapp/'))
    expect(breaches(free, name => name === 'baileys' || name.startsWith('baileys/'))).toEqual([])
  })

  it('only tracing imports OpenTelemetry, and loads it only if it is configured', () => {
    const isLibrary = (name: string) => name.startsWith('@opentelemetry/')
    const users = production.filter(({ imports }) => imports.some(isLibrary)).map(({ path }) => path)
    expect(users.sort()).toEqual(['observability/tracing/otlp.ts', 'observability/tracing/saying-exporter.ts'])
    const loaders = production.filter(({ text }) => /from '[^']*(otlp|saying-exporter)\.ts'/.test(text))
    expect(loaders.map(({ path }) => path)).toEqual(['observability/tracing/otlp.ts'])
    expect(production.find(({ path }) => path === 'observability/tracing/open-tracing.ts')!.text).toContain(
      "await import('./otlp.ts')",
    )
  })

  it('only config and cli read the environment', () => {
    const others = everything.filter(
      source => isProduction(source) && source.path !== 'config.ts' && !source.path.startsWith('cli/'),
    )
    expect(others.filter(({ text }) => text.includes('process.env')).map(({ path }) => path)).toEqual([])
  })

  it('only context and the threads’ own entries open a store', () => {
    const openers = production.filter(({ imports }) =>
      imports.some(name => /^store\/(sqlite\/sqlite-store|postgres\/postgres-store)\.ts$/.test(name)),
    )
    const allowed = /^(context\.ts|store\/|worker\/)/
    expect(openers.map(({ path }) => path).filter(path => !allowed.test(path))).toEqual([])
  })

  it('only gateway puts the roles together', () => {
    const roles = /^(http\/api|worker\/worker|dispatcher\/dispatcher|sandbox\/role)\.ts$/
    const wirers = production.filter(({ path, imports }) =>
      imports.some(name => roles.test(name) && path !== 'gateway.ts' && dirname(name) !== dirname(path)),
    )
    expect(wirers.map(({ path }) => path)).toEqual([])
  })

  it('a file uses at most three repositories, except those that combine others', () => {
    const users = production.filter(({ path }) => !path.startsWith('store/'))
    const many = users.filter(({ text }) => new Set(repositoriesIn(text)).size > 3)
    expect(many.map(({ path }) => path).filter(path => !USE_MANY_REPOSITORIES.includes(path))).toEqual([])
  })

  it('there is no SQL outside the store', () => {
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

  it('local imports name their file', () => {
    const dotted = everything.flatMap(({ path, dotted }) => dotted.map(name => ({ path, name })))
    expect(dotted.length).toBeGreaterThan(1_000)
    expect(dotted.filter(({ name }) => !name.endsWith('.ts'))).toEqual([])
  })

  it('the documented ways through the code name functions that exist, each once', () => {
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

  it('tests of the specification use HTTP; a role that is tested without it has its own folder', () => {
    const folder = resolve(import.meta.dirname, 'spec')
    const files = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter(({ text }) => /\bopen(Delivery|Hosting)\b/.test(text)).map(({ name }) => name)).toEqual([])
    const asks = /harness\/(gateway|process|portal|openapi|chatwoot-bridge)\.ts'/
    expect(files.filter(({ text }) => !asks.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('the portal’s primitives do not import the API, and the API client does not import the pages', () => {
    const portal = resolve(import.meta.dirname, '../portal/src')
    const importsIn = (folder: string) =>
      readdirSync(join(portal, folder))
        .filter(name => !name.endsWith('.d.ts'))
        .flatMap(name => {
          const text = readFileSync(join(portal, folder, name), 'utf8')
          return importsOf(portal, join(portal, folder, name), text).dotted.map(each => `${folder}/${name} → ${each}`)
        })
    expect(importsIn('ui').length).toBeGreaterThan(30)
    expect(importsIn('ui').filter(found => !/→ (\.\/|\.\.\/[\w-]+\.ts$)/.test(found))).toEqual([])
    expect(importsIn('api').filter(found => !/→ (\.\/|\.\.\/[\w-]+\.ts$)/.test(found))).toEqual([])
  })

  it('a log event is named by its area and what happened', () => {
    const names = production.flatMap(({ path, text }) => logNames(text).map(name => ({ path, name })))
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter(({ name }) => !/^('[a-z_]+(\.[a-z_]+)+'|`\$\{this\.#name\}\.failed`)$/.test(name))).toEqual([])
    // A loop logs its failures under its own name, wherever it was created.
    const loops = production.flatMap(({ text }) => [
      ...text.matchAll(/new RepeatingTask\(\s*(?:\{[^}]*\}|[^,{]+),\s*([^,]+),/g),
      // A class with several loops passes their names on.
      ...text.matchAll(/this\.#every\(([^,]+),/g),
    ])
    expect(loops.length).toBeGreaterThan(15)
    expect(loops.map(match => match[1]!).filter(name => !/^('[a-z_]+\.[a-z_]+'|name)$/.test(name))).toEqual([])
  })

  it('time and randomness come from one place each, and repetition from RepeatingTask', () => {
    const timeless = [...production, ...simulator.filter(isProduction)].filter(
      ({ path }) => !/^(runtime\/)?(clock|random)\.ts$/.test(path),
    )
    const breaks = (pattern: RegExp) => timeless.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
    expect(breaks(/\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\bMath\.random\b/)).toEqual([])
    expect(breaks(/\bsetInterval\b/)).toEqual([])
  })

  it('only the command line prints', () => {
    const talkers = everything.filter(({ path, text }) => !path.startsWith('cli/') && /\bconsole\.\w+\(/.test(text))
    expect(talkers.map(({ path }) => path)).toEqual([])
  })
})
