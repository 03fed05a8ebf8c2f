import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { run } from './image/command.mjs'
import { Steps } from './image/steps.mjs'
import { startGateway } from './n8n/gateway.mjs'
import { installRuntime, N8n, VERSION } from './n8n/runtime.mjs'
import { Trial } from './n8n/trial.mjs'

const HELP = `npm run n8n [-- --runtime FOLDER]

Checks, builds and packs integrations/n8n with n8n's own tools, installs n8n ${VERSION} (1.4 GB) and the package into folders
of their own, and drives both against a gateway of this checkout. Writes what was seen to docs/transcripts/n8n.md.

  --runtime F   where n8n is installed, and looked for the next time (else /var/tmp/postern-n8n)`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const own = join(root, 'integrations/n8n')
const { values: wanted } = parseArgs({
  options: { runtime: { type: 'string', default: '/var/tmp/postern-n8n' }, help: { type: 'boolean' } },
})

if (wanted.help) console.log(HELP)
else await main()

async function main() {
  const steps = new Steps()
  const folder = mkdtempSync(join(tmpdir(), 'postern-n8n-'))
  await build({ quiet: true })
  const tarball = await packed(steps, folder)
  await steps.step('Install n8n', () => installRuntime(wanted.runtime))
  const gateway = await startGateway(root, join(folder, 'gateway'), await freePort())
  const n8n = new N8n(wanted.runtime, join(folder, 'n8n'), await freePort())
  try {
    await new Trial(steps, n8n, gateway, root).run(tarball)
  } finally {
    await n8n.stop('SIGTERM')
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  steps.write(join(root, 'docs/transcripts/n8n.md'), 'The n8n node, packed, installed and run', preface())
}

async function packed(steps, folder) {
  await steps.step('Install its tools: npm install', async () => {
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: own })
    return 'from its own lockfile'
  })
  await steps.step('n8n-node lint', async () => {
    await run('npm', ['run', 'lint'], { cwd: own })
    return 'no problems'
  })
  return await steps.step('npm pack', async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: own })
    const name = readdirSync(folder).find(each => each.endsWith('.tgz'))
    const files = (await run('tar', ['tzf', join(folder, name)])).split('\n')
    return { seen: `${name}, ${files.length} files`, value: join(folder, name) }
  })
}

function preface() {
  return [
    '`npm run n8n` wrote this page. The gateway is one of this checkout with a sandbox number; n8n is the whole program, with a',
    `database of its own, on the same machine. Node ${process.version}, n8n ${VERSION}.`,
  ]
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
