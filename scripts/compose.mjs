import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Cluster } from './compose/cluster.mjs'
import { Engine, missingPrograms } from './compose/engine.mjs'
import { makeImages } from './compose/images.mjs'
import { OneMachine } from './compose/one-machine.mjs'
import { startHttpsReceiver } from './compose/receiver.mjs'
import { run } from './shared/command.mjs'
import { ownFolder } from './image/own-folder.mjs'
import { Steps } from './shared/steps.mjs'
import { helpIfAsked } from './shared/help.mjs'

/**
 * npm run compose: starts deploy/compose.yaml and deploy/compose.cluster.yaml with a Docker of its own, sends a message through
 * each, and looks at what Prometheus scrapes. Writes what was seen to docs/transcripts/compose.md.
 *
 * Needs root, the image of `npm run image`, and Debian's packages docker.io, docker-compose, buildah and openssl. Public
 * images are stood in for by Debian's packages of the same programs; there is none of Grafana.
 */
helpIfAsked(import.meta.url)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const steps = new Steps()
const folder = mkdtempSync(join(tmpdir(), 'postern-compose-'))
const missing = missingPrograms()

if (process.getuid() !== 0) throw new Error('needs root: it runs a Docker of its own')
if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`)
const engine = new Engine(ownFolder('/var/cache/postern-compose'), folder)
try {
  await engine.start()
  await makeImages(steps, engine, root, folder)
  for (const Trial of [OneMachine, Cluster]) {
    const own = join(folder, Trial.name)
    mkdirSync(own)
    cpSync(join(root, 'deploy'), join(own, 'deploy'), { recursive: true })
    const receiver = await startHttpsReceiver(own)
    try {
      await new Trial(steps, engine, own, receiver).run()
    } finally {
      receiver.close()
    }
  }
} finally {
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
}
steps.write(join(root, 'docs/transcripts/compose.md'), 'Both compose files, started', await preface())

async function preface() {
  const version = await run('docker-compose', ['version', '--short'])
  return [
    `Written by \`npm run compose\` on ${new Date().toISOString().slice(0, 10)}: Docker ${engine.version}, docker-compose ${version}, Node ${process.version}. The files are those of`,
    '[`deploy/`](../../deploy), each with a second one over it ([`scripts/compose`](../../scripts/compose)) that turns the sandbox on and',
    'lets webhooks go to this machine. The image is that of `npm run image`. The other images are not the public ones: Debian’s',
    'packages of the same programs stand in for them, as the users that the public ones have. There is no package of Grafana: that',
    'service was not started. The proxy’s certificate is of its own authority, since no name leads here. The times are of a',
    'machine with two cores that had other work too.',
  ]
}
