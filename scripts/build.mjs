import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The packages of `packages/` that the gateway loads. Others import the listener, so it is built first. */
export const PACKAGES = readdirSync(join(root, 'packages'))
  .filter(name => existsSync(join(root, 'packages', name, 'src')))
  .sort((a, b) => Number(b === 'listener') - Number(a === 'listener'))

/** The build steps with their sources; a step runs again only if a source has changed. */
const PARTS = [
  {
    name: 'client library',
    sources: ['sdk/src', 'sdk/tsconfig.build.json', 'sdk/package.json'],
    stamp: 'sdk/dist/.stamp',
    command: ['node_modules/typescript/bin/tsc', '-p', 'sdk/tsconfig.build.json'],
  },
  ...PACKAGES.map(name => ({
    name: `package ${name}`,
    sources: [
      `packages/${name}/src`,
      `packages/${name}/tsconfig.build.json`,
      `packages/${name}/package.json`,
      'packages/listener/src',
      'sdk/src',
      'tsconfig.json',
    ],
    stamp: `packages/${name}/dist/.stamp`,
    command: ['node_modules/typescript/bin/tsc', '-p', `packages/${name}/tsconfig.build.json`],
  })),
  {
    name: 'simulator',
    sources: ['simulator/src', 'simulator/tsconfig.build.json', 'simulator/package.json', 'tsconfig.json'],
    stamp: 'simulator/dist/.stamp',
    command: ['node_modules/typescript/bin/tsc', '-p', 'simulator/tsconfig.build.json'],
  },
  {
    name: 'gateway',
    sources: [
      'src',
      'simulator/src',
      'sdk/src',
      ...PACKAGES.map(name => `packages/${name}/src`),
      'tsconfig.json',
      'tsconfig.build.json',
    ],
    stamp: 'dist/.stamp',
    command: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
  },
  {
    name: 'program',
    sources: [
      'src',
      'simulator/src',
      'tsconfig.json',
      'tsconfig.build.json',
      'package-lock.json',
      'scripts/bundle.mjs',
    ],
    stamp: 'dist/bundled/.stamp',
    command: ['scripts/bundle.mjs'],
  },
  {
    name: 'portal',
    sources: [
      'portal/src',
      'portal/public',
      'portal/index.html',
      'portal/vite.config.ts',
      'portal/compress.ts',
      'portal/groups.ts',
      'portal/preload.ts',
      'portal/package.json',
    ],
    stamp: 'portal/dist/.stamp',
    command: ['node_modules/vite/bin/vite.js', 'build', 'portal', '--logLevel', 'warn'],
  },
  {
    name: 'documentation',
    sources: [
      'site',
      'docs',
      'openapi.json',
      'src/cli',
      'src/http/openapi/error-docs.ts',
      'src/domain/error-codes.ts',
      'sdk/README.md',
      'sdk/python/README.md',
      'portal/src/snippets',
    ],
    stamp: 'dist/docs/.stamp',
    command: ['site/make.mjs'],
  },
  {
    name: 'bill of materials',
    sources: [
      'package.json',
      'package-lock.json',
      'sdk/package.json',
      'simulator/package.json',
      'portal/package.json',
      ...PACKAGES.map(name => `packages/${name}/package.json`),
      'portal/src',
      'scripts/packages.mjs',
      'scripts/sbom.mjs',
    ],
    stamp: 'dist/.sbom-stamp',
    command: ['scripts/sbom.mjs'],
  },
]

export async function build({ quiet }) {
  for (const part of PARTS) {
    const digest = digestOf(part.sources)
    const stamp = join(root, part.stamp)
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) continue
    if (!existsSync(join(root, part.command[0]))) {
      console.error(
        `postern: the ${part.name} is not built and the tools to build it are missing. Run \`npm ci\` without NODE_ENV=production, then start again.`,
      )
      process.exit(1)
    }
    if (!quiet) console.error(`Building the ${part.name} …`)
    // A test runner sets NODE_ENV=test, with which the portal would get the slow development build of React.
    const env = { ...process.env, NODE_ENV: 'production' }
    const { status } = spawnSync(process.execPath, part.command, { cwd: root, env, stdio: ['ignore', 2, 2] })
    if (status !== 0) process.exit(status ?? 1)
    writeFileSync(stamp, digest)
  }
}

/** A digest of the names, sizes and times of the sources, which is cheap at every start. */
function digestOf(sources) {
  const hash = createHash('sha256')
  for (const source of sources) hash.update(linesOf(join(root, source)))
  return hash.digest('hex')
}

/** Several parts have the same sources. */
const known = new Map()

function linesOf(path) {
  const lines = known.get(path) ?? readLines(path)
  known.set(path, lines)
  return lines
}

function readLines(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return ''
  if (!stat.isDirectory()) return `${path}\0${stat.size}\0${stat.mtimeMs}\n`
  return readdirSync(path)
    .sort()
    .map(name => linesOf(join(path, name)))
    .join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ quiet: false })
