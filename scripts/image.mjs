import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Builder, installPackages, missingPackages } from './image/builder.mjs'
import { run } from './shared/command.mjs'
import { ownFolder } from './image/own-folder.mjs'
import { Steps } from './shared/steps.mjs'
import { Trial } from './image/trial.mjs'

const HELP = `npm run image [-- --install] [-- --fresh-base] [-- --keep-image]

Builds deploy/Dockerfile with buildah, on a bare Debian instead of the public base image, then starts the image,
sends a message, kills it, starts it again on the same volume and checks that nothing is lost. Writes the results to
docs/transcripts/image.md. Needs root, and Debian's packages buildah, debootstrap and runc (--install fetches them).

  --fresh-base  builds the base again; default: uses that of the last run
  --keep-image  uses the image of the last run instead of building it (for work on this script; writes no transcript)
  --archive F   also writes the image to this file, for \`docker load\` (and writes no transcript)`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TAG = 'localhost/postern'
/** In a folder that only root can write to, so that no other user can have created it. */
const CACHE = '/var/cache/postern-image'

const { values: wanted } = parseArgs({
  options: {
    ...Object.fromEntries(['install', 'fresh-base', 'keep-image', 'help'].map(name => [name, { type: 'boolean' }])),
    archive: { type: 'string' },
  },
})
if (wanted.help) console.log(HELP)
else await main().catch(fail)

async function main() {
  if (process.getuid() !== 0) throw new Error('needs root: it creates and mounts a root file system')
  await needPackages()
  const steps = new Steps()
  const folder = mkdtempSync(join(tmpdir(), 'postern-image-'))
  const builder = new Builder(root, ownFolder(CACHE), folder)
  try {
    if (!wanted['keep-image']) await buildAll(steps, builder)
    const { config } = await builder.describe(TAG)
    const container = await builder.unpack(TAG)
    try {
      await new Trial(steps, config, container.root, folder).run()
    } finally {
      await container.remove()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (wanted.archive !== undefined)
    await steps.step('Write the archive', () => writeArchive(builder, resolve(wanted.archive)))
  else if (!wanted['keep-image'])
    steps.write(join(root, 'docs/transcripts/image.md'), 'The image, built, run, killed, run again', await preface())
}

async function needPackages() {
  const missing = missingPackages()
  if (missing.length === 0) return
  if (!wanted.install)
    throw new Error(`missing: ${missing.join(', ')}. Run apt-get install ${missing.join(' ')}, or pass --install.`)
  await installPackages(missing)
}

async function buildAll(steps, builder) {
  await steps.step('Make the base: a bare Debian with Node', async () => {
    if (!wanted['fresh-base'] && (await builder.hasBase())) return 'uses that of an earlier run'
    await builder.makeBase()
    return `made with debootstrap and Debian’s security updates, Node ${process.version} copied from this machine`
  })
  await steps.step('Build the image', async () => {
    await builder.build(TAG)
    const { size, baseSize } = await builder.describe(TAG)
    return `${size}, of which the base has ${baseSize}`
  })
}

/** In Docker's format, like the image: the OCI format has no health check. */
async function writeArchive(builder, file) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  rmSync(file, { force: true })
  await builder.buildah('push', TAG, `docker-archive:${file}:postern:${version}`)
  const member = async name => JSON.parse(await run('tar', ['-xOf', file, name]))
  const [{ Config, RepoTags }] = await member('manifest.json')
  const { config } = await member(Config)
  if (config.Healthcheck === undefined) throw new Error('the archive has no health check')
  return `${RepoTags.join(', ')}, with its health check`
}

async function preface() {
  const version = await run('buildah', ['--version'])
  const runtime = (await run('runc', ['--version'])).split('\n')[0]
  return [
    `Written by \`npm run image\` on ${new Date().toISOString().slice(0, 10)}: ${version}; ${runtime}; Node ${process.version}.`,
    'Debian’s debootstrap made the base, instead of the public base image that the Dockerfile names. The image is',
    'run with its own configuration (user, command, settings), a read-only root, no capabilities, a volume at `/data`, a',
    'folder of secrets, and the network of the machine. The times are of a machine with two cores and other load.',
  ]
}

function fail(error) {
  console.error(`image: ${error.message}`)
  process.exitCode = 1
}
