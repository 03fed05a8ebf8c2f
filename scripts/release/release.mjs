import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { notesOf, withReleased } from './changelog.mjs'
import { VERSIONED, versionIn, withVersion } from './versioned-files.mjs'
import { compareVersions, isVersion } from './version.mjs'

const HELP = `npm run release -- VERSION [--dry-run] [--no-image] [--out FOLDER]

Builds all parts of a release into FOLDER (release/): the package, the client libraries, the image, the
bill of materials, the notes and the checksums. It publishes and pushes nothing. Before
that it runs \`npm test\`, \`npm run test:long\` and \`npm run bench -- bounds\`; if one fails, there is no release.

  VERSION      1.2.3 or 1.2.3-rc.1; newer than every tag. A dry run defaults to that of package.json
  --dry-run    runs no tests and changes nothing in the tree. Without it the command writes the version into the packages and
               the changelog, commits and tags it, after everything is built
  --no-image   skips the image, which needs buildah and debootstrap (npm run image -- --help)`

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const began = performance.now()

try {
  release(readOptions())
} catch (error) {
  console.error(`release: ${error.message}`)
  process.exitCode = 1
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      'dry-run': { type: 'boolean', default: false },
      'no-image': { type: 'boolean', default: false },
      out: { type: 'string', default: join(root, 'release') },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  const isDry = values['dry-run']
  const version = positionals[0] ?? (isDry ? versionIn(root, 'package.json') : undefined)
  if (version === undefined) throw new Error('name the version: npm run release -- 1.2.3')
  return { version, isDry, withImage: !values['no-image'], out: resolve(values.out) }
}

function release({ version, isDry, withImage, out }) {
  if (!isVersion(version)) throw new Error(`${version} is not a version: write it as 1.2.3 or 1.2.3-rc.1`)
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const notes = notesOf(changelog, version)
  checkTree(version, isDry)
  if (!isDry) {
    step('the tests', () => npm(['test']))
    step('the long tests', () => npm(['run', 'test:long']))
    step('the limits of time and memory', () => npm(['run', 'bench', '--', 'bounds']))
  }
  emptyFolder(out)
  if (!isDry) writeVersion(version, changelog)
  step('the package', () => npm(['pack', '--pack-destination', out]))
  step('the client library', () => npm(['pack', '-w', 'sdk', '--pack-destination', out]))
  step('the Python client', () => run('python3', ['sdk/python/build_backend.py', out]))
  if (withImage)
    step('the image', () =>
      run('node', ['scripts/image.mjs', '--fresh-base', '--archive', join(out, `postern-${version}.docker.tar`)]),
    )
  step('the bill of materials', () => copyFileSync(join(root, 'dist/sbom.cdx.json'), join(out, 'sbom.cdx.json')))
  step('the notes', () => writeFileSync(join(out, 'NOTES.md'), `# Postern ${version}\n\n${notes}\n`))
  step('the checksums', () => writeFileSync(join(out, 'SHA256SUMS'), checksumsOf(out)))
  if (!isDry) commitAndTag(version)
  tellWhatWasMade(out, isDry, version)
}

/** Empties the folder only if it contains an earlier release. */
function emptyFolder(out) {
  const isOurs = !existsSync(out) || readdirSync(out).length === 0 || existsSync(join(out, 'SHA256SUMS'))
  if (!isOurs || `${root}/`.startsWith(`${out}/`))
    throw new Error(`${out} contains other files: name an empty or new folder with --out`)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
}

/** A release requires a clean tree; a dry run only warns. */
function checkTree(version, isDry) {
  const differing = VERSIONED.filter(file => versionIn(root, file) !== versionIn(root, 'package.json'))
  if (differing.length > 0) throw new Error(`${differing.join(', ')} and package.json name different versions`)
  const isClean = git(['status', '--porcelain']) === ''
  if (!isClean && !isDry) throw new Error('commit or stash your changes')
  if (!isClean) console.log('The tree has uncommitted changes: the dry run includes them.')
  const newest = git(['tag', '--list', 'v*'])
    .split('\n')
    .map(tag => tag.slice(1))
    .filter(isVersion)
    .sort(compareVersions)
    .at(-1)
  if (newest !== undefined && compareVersions(version, newest) <= 0 && !isDry)
    throw new Error(`${newest} is already released: name a later version`)
}

function writeVersion(version, changelog) {
  for (const file of VERSIONED) {
    const path = join(root, file)
    writeFileSync(path, withVersion(file, readFileSync(path, 'utf8'), version))
  }
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(join(root, 'CHANGELOG.md'), withReleased(changelog, version, day))
  npm(['install', '--package-lock-only', '--ignore-scripts'])
  // The types contain the digest of the API description, which contains the version.
  run('node', ['scripts/sdk-types.mjs'])
}

function commitAndTag(version) {
  // There are no changes if the tree already has the version and its notes.
  const isChanged = git(['status', '--porcelain', '--untracked-files=no']) !== ''
  if (isChanged) git(['commit', '--all', '--message', `release: ${version}`])
  git(['tag', '--annotate', `v${version}`, '--message', `Postern ${version}`])
}

function tellWhatWasMade(out, isDry, version) {
  for (const name of readdirSync(out).sort())
    console.log(`  ${name}  ${(statSync(join(out, name)).size / 1e6).toFixed(1)} MB`)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${isDry ? 'Dry run of' : 'Built'} ${version} in ${seconds} s. Upgrade notes: docs/upgrading.md.`)
  if (!isDry) console.log('Look at the last commit, then: git push --follow-tags. GitHub drafts the release.')
}

function checksumsOf(folder) {
  return readdirSync(folder)
    .sort()
    .map(
      name =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('')
}

function step(name, make) {
  const from = performance.now()
  process.stdout.write(`${name} …`)
  make()
  process.stdout.write(` ${((performance.now() - from) / 1000).toFixed(0)} s\n`)
}

function npm(args) {
  run('npm', args)
}

function git(args) {
  return run('git', args).trim()
}

function run(program, args) {
  try {
    return execFileSync(program, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1e8,
    })
  } catch (error) {
    throw new Error(
      `${program} ${args.join(' ')} failed:\n${String(error.stderr || error.message)
        .trim()
        .slice(-2000)}`,
    )
  }
}
