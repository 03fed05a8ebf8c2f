/**
 * Which folder may import which. `npm run lint` and `npm test` check it with dependency-cruiser: over the files that an
 * import really leads to, types and `import()` included. One rule each: its name and comment are what a violation
 * prints. test/import-rules.test.ts proves that each rule fails on a violation and still applies to existing files.
 *
 * Below `src`, from the bottom up: runtime; domain; store, net, platform; actions; the roles; then gateway.ts and cli. Rules name
 * top-level folders, so files may move within a layer. A folder that no rule names may be imported from anywhere.
 */

/** Each role runs in a process or thread of its own, and they share nothing but the store. */
const ROLES = ['http', 'worker', 'dispatcher', 'sandbox']
const below = (...folders) => `^src/(${folders.join('|')})/`
const aPackage = name => `node_modules/${name}/`

/** Tests may reach into any layer. */
const TEST = '\\.test\\.ts$'

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'No file leads back to itself over its imports. Move what both need into a third file.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'imports-resolve',
    comment:
      'Every import leads to a file, to Node or to a package that is installed. #sdk leads to compiled code, which may not be built yet; the compiler checks it.',
    from: {},
    to: { couldNotResolve: true, pathNot: '^#sdk$' },
  },
  {
    name: 'domain-is-pure',
    comment:
      'domain has the business rules. It imports only itself, runtime and Node, so that it can be tested with values alone.',
    from: { path: below('domain'), pathNot: TEST },
    to: { pathNot: below('domain', 'runtime'), dependencyTypesNot: ['core'] },
  },
  {
    name: 'runtime-is-the-bottom',
    comment: 'runtime has clocks, caches and the like, which everything uses. It imports only itself and Node.',
    from: { path: below('runtime'), pathNot: TEST },
    to: { pathNot: below('runtime'), dependencyTypesNot: ['core'] },
  },
  {
    name: 'lower-layers-know-no-role',
    comment: 'domain, store, net, platform and actions are used by the roles and by cli, and know none of them.',
    from: { path: below('domain', 'store', 'net', 'platform', 'actions'), pathNot: TEST },
    to: { path: `${below(...ROLES, 'cli')}|^src/gateway\\.ts$` },
  },
  {
    name: 'store-knows-no-actions',
    comment: 'store keeps and finds rows. What happens with them is decided above it, in actions and platform.',
    from: { path: below('store'), pathNot: TEST },
    to: { path: below('actions', 'platform') },
  },
  {
    name: 'store-has-no-error-texts',
    comment: 'Texts for customers are written in actions and http. The store returns facts.',
    from: { path: below('store'), pathNot: TEST },
    to: { path: '^src/domain/errors\\.ts$' },
  },
  {
    name: 'net-knows-no-store',
    comment: 'net makes requests to hosts of customers. It knows neither the database nor WhatsApp.',
    from: { path: below('net'), pathNot: TEST },
    to: { path: below('store', 'actions', 'platform') },
  },
  {
    name: 'roles-are-separate',
    comment: 'http, worker, dispatcher and sandbox never import each other: each can run in a process of its own.',
    from: { path: below(...ROLES), pathNot: TEST },
    to: { path: below(...ROLES), pathNot: '^src/$1/' },
  },
  {
    name: 'gateway-starts-the-roles',
    comment: 'Only gateway.ts puts the roles together.',
    from: { path: '^src/([^/]+)', pathNot: ['^src/gateway\\.ts$', TEST] },
    to: {
      path: '^src/(http/api|worker/worker|dispatcher/dispatcher|sandbox/role)\\.ts$',
      pathNot: '^src/$1/',
    },
  },
  {
    name: 'context-opens-the-store',
    comment: 'Only context.ts opens a store, and the entry of each thread, which cannot be given one.',
    from: { path: '^src/', pathNot: ['^src/context\\.ts$', below('store', 'worker'), TEST] },
    to: { path: '^src/store/(sqlite/sqlite-store|postgres/postgres-store)\\.ts$' },
  },
  {
    name: 'simulator-is-independent',
    comment: 'The simulator is a package of its own. It imports nothing of the gateway, in its tests neither.',
    from: { path: '^simulator/src/' },
    to: { pathNot: ['^simulator/src/', aPackage('[^/]+')], dependencyTypesNot: ['core'] },
  },
  {
    name: 'only-sandbox-uses-the-simulator',
    comment: 'The simulator is a stand-in for WhatsApp. Only the sandbox role has one.',
    from: { path: '^src/', pathNot: [below('sandbox'), TEST] },
    to: { path: '^simulator/' },
  },
  {
    name: 'simulator-by-its-name',
    comment:
      'The simulator is imported as #simulator, which is its compiled code in the package. A path would break there.',
    from: { path: '^src/' },
    to: { path: '^simulator/', dependencyTypesNot: ['aliased-subpath-import'] },
  },
  {
    name: 'only-cli-uses-packages',
    comment:
      'packages and sdk are clients of the public API. The gateway does not depend on them; its commands may. The recorder is part of the platform.',
    from: { path: '^src/', pathNot: [below('cli'), TEST] },
    to: { path: '^(packages/(?!recorder/)|sdk/)' },
  },
  {
    name: 'packages-use-the-public-api',
    comment: 'A package imports nothing of the gateway: only itself, the SDK and the listener.',
    from: { path: '^packages/([^/]+)/src/', pathNot: TEST },
    to: { path: '^(src|simulator|packages)/', pathNot: '^packages/($1|listener)/' },
  },
  {
    name: 'only-platform-uses-baileys',
    comment: 'The WhatsApp engine can be replaced in one folder.',
    from: { path: '^src/', pathNot: ['^src/platform/whatsapp/', TEST] },
    to: { path: aPackage('baileys') },
  },
  {
    name: 'only-tracing-uses-opentelemetry',
    comment: 'Two files know OpenTelemetry. What else is traced goes through our own interface.',
    from: { path: '^src/', pathNot: ['/tracing/(otlp|logging-exporter)\\.ts$', TEST] },
    to: { path: aPackage('@opentelemetry') },
  },
  {
    name: 'opentelemetry-is-loaded-on-demand',
    comment: 'OpenTelemetry is loaded with import(), and only where a collector is configured.',
    from: { path: '^src/', pathNot: ['/tracing/otlp\\.ts$', TEST] },
    to: { path: '^src/observability/tracing/(otlp|logging-exporter)\\.ts$', dynamic: false },
  },
  {
    name: 'no-tests-in-the-product',
    comment: 'What is shipped imports nothing that is only there to test, measure or build it.',
    from: { path: '^(src|simulator/src)/', pathNot: TEST },
    to: { path: `^(test|bench|scripts|site|portal)/|${TEST}` },
  },
  {
    name: 'no-development-packages-in-the-product',
    comment: 'Packages of devDependencies are not installed where the gateway runs.',
    from: { path: '^(src|simulator/src)/', pathNot: TEST },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'] },
  },
]

export default {
  forbidden: forbidden.map(rule => ({ severity: 'error', ...rule })),
  options: {
    // TypeScript 7 has no interface for other programs. swc reads no JSX: the portal's rules are in .oxlintrc.json.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|[^/]+/dist|packages/[^/]+/dist)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
    },
  },
}
