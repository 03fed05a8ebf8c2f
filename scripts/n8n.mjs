import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { ownFolder } from './image/own-folder.mjs'
import { run } from './shared/command.mjs'
import { freePort } from './shared/free-port.mjs'
import { Steps } from './shared/steps.mjs'
import { startGateway } from './n8n/gateway.mjs'
import { installRuntime, N8n, VERSION } from './n8n/runtime.mjs'
import { Trial } from './n8n/trial.mjs'

/** Where n8n stays installed between runs. */
const RUNTIME = join(homedir(), '.cache/postern-n8n')

const HELP = `npm run n8n [-- --version VERSION] [-- --runtime FOLDER]

Checks, builds and packs integrations/n8n with n8n's tools, installs n8n (1.4 GB) and the package into separate
folders, and tests both with a gateway of this checkout. Writes the results to docs/transcripts/n8n.md, or for another
version to n8n-VERSION.md.

  --version V   the version of n8n (default ${VERSION})
  --runtime F   the folder where n8n is installed and reused (default ~/.cache/postern-n8n)`

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const own = join(root, 'integrations/n8n')
const { values: wanted } = parseArgs({
  options: {
    version: { type: 'string', default: VERSION },
    runtime: { type: 'string', default: RUNTIME },
    help: { type: 'boolean' },
  },
})

if (wanted.help) console.log(HELP)
else await main()

async function main() {
  const steps = new Steps()
  const folder = mkdtempSync(join(tmpdir(), 'postern-n8n-'))
  await build({ quiet: true })
  const tarball = await packed(steps, folder)
  const { version } = wanted
  const runtime = ownFolder(join(ownFolder(wanted.runtime), version))
  await steps.step('Install n8n', () => installRuntime(runtime, version))
  const gateway = await startGateway(root, join(folder, 'gateway'), await freePort())
  const n8n = new N8n(runtime, version, join(folder, 'n8n'), await freePort())
  try {
    await new Trial(steps, n8n, gateway, root).run(tarball)
  } finally {
    await n8n.stop('SIGTERM')
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const page = version === VERSION ? 'n8n.md' : `n8n-${version}.md`
  steps.write(join(root, 'docs/transcripts', page), 'The n8n node, packed, installed and run', preface())
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
    `Written by \`npm run n8n\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.version}, n8n ${wanted.version}. The gateway is one of this`,
    'checkout with a sandbox number; n8n is the complete program, with a separate database, on the same machine with two cores.',
  ]
}
