import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'postern-imports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Rule {
  name: string
  from: { path?: string }
  to: { path?: string }
}

/** Files that others import. Each of them obeys all rules. */
const TARGETS: Record<string, string> = {
  'src/context.ts': "import './store/sqlite/sqlite-store.ts'",
  'src/gateway.ts': "import './http/api.ts'\nimport './context.ts'",
  'src/actions/act.ts': "import '../store/store.ts'\nimport '../domain/errors.ts'",
  'src/cli/send.ts': "import '../../sdk/src/client.ts'\nimport '../gateway.ts'",
  'src/domain/errors.ts': "import 'node:crypto'",
  'src/http/api.ts': "import type { T } from '../store/store.ts'\nexport type U = T",
  'src/platform/whatsapp/engine.ts': "import 'baileys'",
  'src/runtime/b.ts': "import type { A } from './a.ts'\nexport type B = A",
  'src/sandbox/role.ts': "import '#simulator'",
  'src/store/store.ts': "import '../domain/errors-of-the-database.ts'\nexport type T = 1",
  'src/store/sqlite/sqlite-store.ts': "import '../store.ts'",
  'src/domain/errors-of-the-database.ts': '',
  'src/observability/tracing/otlp.ts': "import '@opentelemetry/api'",
  'src/observability/tracing/open.ts': "export const load = () => import('./otlp.ts')",
  'src/worker/worker.ts': "import '../actions/act.ts'",
  'src/worker/worker.test.ts': "import 'vitest'\nimport '../http/api.ts'",
  'simulator/src/simulator.ts': "import 'ws'",
  'sdk/src/client.ts': 'export const client = 1',
  'test/harness.ts': 'export const harness = 1',
}

/** For each rule the files that break it, each in another form of import where there are several. */
const VIOLATIONS: Record<string, Record<string, string>> = {
  'no-cycles': {
    'src/runtime/a.ts': "import type { B } from './b.ts'\nexport type A = B",
  },
  'imports-resolve': { 'src/boot/lost.ts': "import './missing.ts'" },
  'domain-is-pure': {
    'src/domain/static.ts': "import '../store/store.ts'",
    'src/domain/type.ts': "import type { T } from '../store/store.ts'\nexport type U = T",
    'src/domain/again.ts': "export type { T } from '../store/store.ts'",
    'src/domain/later.ts': "export const later = () => import('../store/store.ts')",
    'src/domain/package.ts': "import 'ws'",
  },
  'runtime-is-the-bottom': { 'src/runtime/knows.ts': "import '../domain/errors.ts'" },
  'lower-layers-know-no-role': {
    'src/store/answers.ts': "import '../http/api.ts'",
    'src/actions/start.ts': "import '../gateway.ts'",
  },
  'store-knows-no-actions': { 'src/store/acts.ts': "import '../actions/act.ts'" },
  'store-has-no-error-texts': { 'src/store/deep/says.ts': "import '../../domain/errors.ts'" },
  'net-knows-no-store': { 'src/net/keeps.ts': "import '../store/store.ts'" },
  'roles-are-separate': {
    'src/worker/asks.ts': "import '../http/api.ts'",
    'src/http/live/hosts.ts': "import '../../worker/worker.ts'",
  },
  'gateway-starts-the-roles': { 'src/boot/starts.ts': "import '../sandbox/role.ts'" },
  'context-opens-the-store': { 'src/maintenance/opens.ts': "import '../store/sqlite/sqlite-store.ts'" },
  'simulator-is-independent': {
    'simulator/src/knows.ts': "import '../../src/domain/errors-of-the-database.ts'",
    'simulator/src/knows.test.ts': "import '../../test/harness.ts'",
  },
  'only-sandbox-uses-the-simulator': { 'src/worker/simulates.ts': "import '#simulator'" },
  'simulator-by-its-name': { 'src/sandbox/by-path.ts': "import '../../simulator/src/simulator.ts'" },
  'only-cli-uses-packages': { 'src/http/calls.ts': "import '../../sdk/src/client.ts'" },
  'packages-use-the-public-api': { 'packages/mcp/src/knows.ts': "import '../../../src/domain/errors.ts'" },
  'only-platform-uses-baileys': { 'src/platform/other.ts': "import 'baileys'" },
  'only-tracing-uses-opentelemetry': {
    'src/http/traces.ts': "import '@opentelemetry/api'",
    'src/observability/tracing/third.ts': "import type { T } from '@opentelemetry/api'\nexport type U = T",
  },
  'opentelemetry-is-loaded-on-demand': { 'src/observability/tracing/eager.ts': "import './otlp.ts'" },
  'no-tests-in-the-product': { 'src/boot/tests.ts': "import '../../test/harness.ts'" },
  'no-development-packages-in-the-product': { 'src/boot/develops.ts': "import 'vitest'" },
}

/** Files of the portal that break its rules, which oxlint checks; and those that obey them. */
const PORTAL = {
  broken: {
    'portal/src/ui/asks.tsx': "export { ask } from '../api/client.ts'",
    'portal/src/ui/routes.tsx': "export { router } from '../router.tsx'",
    'portal/src/api/shows.ts': "export { Button } from '../ui/button.tsx'",
  },
  obeyed: {
    'portal/src/ui/button.tsx': "export { t } from '../t.ts'\nexport { classes } from './classes.ts'",
    'portal/src/pages/page.tsx': "export { Button } from '../ui/button.tsx'",
  },
}

/** Forms that dependency-cruiser does not see, or that hide where an import leads: oxlint rejects them. */
const FORMS = {
  'src/runtime/type-of.ts': "export type U = import('../store/store.ts').T",
  'src/runtime/nameless.ts': "export { client } from '../http/api'",
  'src/runtime/compiled.ts': "export { client } from '../http/api.js'",
}

const PACKAGES = { dependencies: ['baileys', 'ws', '@opentelemetry/api'], devDependencies: ['vitest'] }

interface Report {
  summary: { violations: Array<{ from: string; rule: { name: string } }>; ruleSetUsed: { forbidden: Rule[] } }
}
let rules: Rule[]
const reported = new Map<string, Set<string>>()

const run = (program: string, ...options: string[]): string =>
  spawnSync(process.execPath, [join(ROOT, 'node_modules', program), ...options], { cwd: folder, encoding: 'utf8' })
    .stdout

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const writeAll = (...files: Array<Record<string, string>>): void => {
  for (const [path, text] of files.flatMap(each => Object.entries(each))) write(path, text)
}

beforeAll(() => {
  const versions = (names: string[]) => Object.fromEntries(names.map(name => [name, '1.0.0']))
  const { dependencies, devDependencies } = PACKAGES
  const manifest = {
    type: 'module',
    imports: { '#simulator': './simulator/src/simulator.ts' },
    dependencies: versions(dependencies),
    devDependencies: versions(devDependencies),
  }
  write('package.json', JSON.stringify(manifest))
  for (const name of [...dependencies, ...devDependencies]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    write(`node_modules/${name}/index.js`, '')
  }
  writeAll(TARGETS, ...Object.values(VIOLATIONS))
  const options = ['--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type', 'json']
  const cruised = run('dependency-cruiser/bin/dependency-cruise.mjs', ...options, 'src', 'simulator/src', 'packages')
  const { summary } = JSON.parse(cruised) as Report
  rules = summary.ruleSetUsed.forbidden
  for (const { from, rule } of summary.violations) {
    reported.set(from, (reported.get(from) ?? new Set()).add(rule.name))
  }
})

test('every import rule has a planted violation', () => {
  expect(Object.keys(VIOLATIONS).sort()).toEqual(rules.map(({ name }) => name).sort())
})

test.each(Object.keys(VIOLATIONS))('the import rule %s reports its violations', name => {
  const files = Object.keys(VIOLATIONS[name]!)
  expect(files.filter(file => reported.get(file)?.has(name) !== true)).toEqual([])
})

test('imports that obey the rules are not reported', () => {
  expect(Object.keys(TARGETS).filter(file => reported.has(file))).toEqual([])
})

/** `^src/(a|b)/|^src/c` as `^src/a/`, `^src/b/` and `^src/c`. */
const alternatives = (pattern: string): string[] =>
  pattern.split(/\|(?=\^)/).flatMap(part => {
    const group = /\((\w[^()]*\|[^()]*)\)/.exec(part)
    return group === null ? [part] : group[1]!.split('|').map(each => part.replace(group[0], each))
  })

test('every path of src and every package that an import rule names exists', () => {
  const files = ['src', 'simulator/src', 'node_modules/@opentelemetry/api', 'node_modules/baileys']
    .flatMap(name => readdirSync(join(ROOT, name), { recursive: true }).map(file => `${name}/${String(file)}`))
    .map(path => path.replaceAll('\\', '/'))
  const named = rules.flatMap(({ from, to }) => [from.path ?? '', to.path ?? '']).flatMap(alternatives)
  const checked = new Set(named.filter(pattern => /^\^(src|simulator)|node_modules/.test(pattern)))
  expect(checked.size).toBeGreaterThan(15)
  expect([...checked].filter(pattern => !files.some(file => new RegExp(pattern).test(file)))).toEqual([])
})

test('lint reports forbidden imports of the portal, and forms of import that hide their target', () => {
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  writeAll(PORTAL.broken, PORTAL.obeyed, FORMS)
  const { diagnostics } = JSON.parse(run('oxlint/bin/oxlint', '--format', 'json', 'portal', 'src/runtime')) as {
    diagnostics: Array<{ code: string; filename: string }>
  }
  const about = /no-restricted-imports|extensions|consistent-type-imports/
  const files = diagnostics.filter(({ code }) => about.test(code)).map(({ filename }) => filename)
  expect(files.sort()).toEqual([...Object.keys(PORTAL.broken), ...Object.keys(FORMS)].sort())
})
