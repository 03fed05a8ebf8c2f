import { resolve } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import LongestFirst from './test/harness/longest-first.ts'
import SlowestFiles from './test/harness/slowest-files.ts'
import { TIMEOUT_MS } from './test/harness/timeout.ts'

const ROOT = import.meta.dirname

/** `npm run test:long`: the tests that take minutes. */
const isLong = process.env.TEST_LONG === '1'
/** `npm run test:unit`: from the sources, without a build, a server or a browser, for every save. */
const isUnit = process.env.TEST_UNIT === '1'
/** `npm run test:cluster`: each gateway is three processes. */
const isCluster = process.env.TEST_CLUSTER === '1'

/** Files that kill, pause or measure their own process, or trust another network, get a process each. */
const ALONE = ['test/failure/**/*.test.ts', 'test/conformance/whatsapp-trust.test.ts']

/** All others share processes, which load the gateway once. */
const TOGETHER = [
  '{src,simulator/src,sdk,packages}/**/*.test.ts',
  'integrations/test/**/*.test.ts',
  'test/*.test.ts',
  'test/{conformance,contract,dispatcher,field,security,spec,worker}/**/*.test.ts',
]

const UNIT = ['{src,simulator/src,sdk/src,packages/*/src}/**/*.test.ts']

/** Matrices and runs under load of which `npm test` takes a part, and `npm run test:long` the whole (`harness/matrix.ts`). */
export const MATRICES = [
  'portal/e2e/{accessibility,first-load,language,schema,snippets,states}.test.ts',
  'sdk/src/verify-webhook.test.ts',
  'test/help.test.ts',
  'test/conformance/{events-status,whatsapp-logins}.test.ts',
  'test/contract/{accept-equivalence,sandbox-watch,uploads}.test.ts',
  'src/domain/{redact,redact-anything}.test.ts',
  'test/dispatcher/{deliveries,endpoints,fresh,give-up,history,lanes,replaced-letters}.test.ts',
  'test/failure/{delivery-ledger,delivery-limits,kill-accept,kill-incoming,kill-outgoing,kill-pull,reconnects}.test.ts',
  'test/failure/{shutdown,worker-takeover}.test.ts',
  'test/security/{address-guard,address-guard-urls,bad-input,bounds-listening,bounds-messages}.test.ts',
  'test/security/{bounds-received,canary,canary-places}.test.ts',
  'test/security/{fuzz,guessed-bodies,heavy-bodies,inherited-names,replay-bounds,request-limits}.test.ts',
  'test/security/{heavy-pictures,look-ups,own-address,route-matrix,turns,uploads,ways-in,wire-fuzz}.test.ts',
  'test/spec/{account-endpoints,authentication,cli,delivery-http,delivery-moved,endpoints,erase-person}.test.ts',
  'test/spec/{errors,keys}.test.ts',
  'test/spec/{lifecycle,limits,listen,openapi,operator,platform-versions,portal-live,portal-sign-in}.test.ts',
  'test/spec/{proxy,pull,regular-sends,session-actions,terms,webhook-config}.test.ts',
  'test/worker/{inbox,link,messages,pace,pairing,requests}.test.ts',
]

/** The files of the portal share one gateway and one browser. */
const PORTAL = ['portal/e2e/**/*.test.ts']

/** A file of one of the gateway's packages. */
const PACKAGE = /^#(chatwoot|import|listener|mcp|recorder|trial)\/(.*)$/

/**
 * Tests import the sources, and get what was compiled from them: Node loads that in a fraction of the time that it takes
 * to transform some 900 files for each process again.
 */
const compiledSources = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  resolveId(id: string, importer: string | undefined) {
    const [isSimulator, file = 'simulator'] = /^(?:#|@postern\/)simulator(?:\/(.*))?$/.exec(id) ?? []
    if (isSimulator !== undefined) return external(`simulator/dist/${file}.js`)
    if (id === '#sdk') return external('sdk/dist/index.js')
    const [, name, inside] = PACKAGE.exec(id) ?? []
    if (inside !== undefined) return external(`packages/${name}/dist/${inside}.js`)
    if (importer === undefined || !id.startsWith('.')) return undefined
    const source = resolve(importer, '..', id).slice(ROOT.length + 1)
    const [, folder = '', path] = /^(simulator\/|packages\/\w+\/)?src\/(.*)(?<!\.test)\.ts$/.exec(source) ?? []
    return path === undefined ? undefined : external(`${folder}dist/${path}.js`)
  },
}

/** The sources as they are, for tests that run without a build. */
const sources = [
  { find: /^(?:#|@postern\/)simulator$/, replacement: `${ROOT}/simulator/src/simulator.ts` },
  { find: /^(?:#|@postern\/)simulator\/(.*)$/, replacement: `${ROOT}/simulator/src/$1.ts` },
  { find: /^#sdk$/, replacement: `${ROOT}/sdk/src/index.ts` },
  { find: PACKAGE, replacement: `${ROOT}/packages/$1/src/$2.ts` },
]

const external = (path: string) => ({ id: resolve(ROOT, path), external: true })

const filesOf = (
  name: string,
  include: string[],
  { isolate = false, exclude = [] as string[] } = {},
): TestProjectInlineConfiguration => ({
  ...(isUnit ? { resolve: { alias: sources } } : { plugins: [compiledSources] }),
  test: {
    name,
    include,
    exclude: isLong ? exclude : [...exclude, '**/*.long.test.ts'],
    isolate,
    setupFiles: ['test/harness/fail-on-warnings.ts'],
    // Threads inherit it.
    execArgv: ['--require', resolve(ROOT, 'test/harness/record-warnings.cjs')],
    pool: 'forks',
    // Only tests that hang reach it: it is far above what a slow machine needs, and polls end with their test.
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: TIMEOUT_MS } },
  },
})

export default defineConfig({
  test: {
    globalSetup: isUnit ? [] : ['test/harness/global-setup.ts'],
    maxWorkers: isCluster ? 2 : 4,
    // How long a process may take to answer that it ends; one that does not is killed.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SlowestFiles()],
    projects: isUnit
      ? [filesOf('unit', UNIT)]
      : isLong
        ? [filesOf('long', ['{test,portal/e2e}/**/*.long.test.ts', ...MATRICES], { isolate: true })]
        : [
            filesOf('alone', ALONE, { isolate: true }),
            filesOf('portal', PORTAL),
            filesOf('together', TOGETHER, { exclude: ALONE }),
          ],
  },
})
