import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Cluster } from './compose/cluster.mjs'
import { Engine, missingPrograms } from './compose/engine.mjs'
import { makeImages } from './compose/images.mjs'
import { OneMachine } from './compose/one-machine.mjs'
import { ownFolder } from './image/own-folder.mjs'
import { startReceiver } from './image/receiver.mjs'
import { run } from './shared/command.mjs'
import { helpIfAsked } from './shared/help.mjs'
import { Steps } from './shared/steps.mjs'

/**
 * npm run compose: starts deploy/compose.yaml and deploy/compose.cluster.yaml with a separate Docker daemon, sends a message through
 * each, and checks what Prometheus scrapes. Writes the results to docs/transcripts/compose.md.
 *
 * Needs root, the image of `npm run image`, and Debian's packages docker.io, docker-compose, buildah and openssl. Public
 * images are replaced by Debian's packages of the same programs; there is no package of Grafana.
 */
helpIfAsked(import.meta.url)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const steps = new Steps()
const folder = mkdtempSync(join(tmpdir(), 'postern-compose-'))
const missing = missingPrograms()
/** The address of this machine in the containers' network, which the override files set. */
const HERE = '10.213.71.1'

if (process.getuid() !== 0) throw new Error('needs root: it runs a separate Docker daemon')
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
    '[`deploy/`](../../deploy), each with an override file ([`scripts/compose`](../../scripts/compose)) that turns the sandbox on and',
    'allows webhooks to this machine. The image is that of `npm run image`. The other images are not the public ones: they contain Debian’s',
    'packages of the same programs, with the users of the public ones. There is no package of Grafana: that',
    'service was not started. The proxy’s certificate comes from its local authority, since no public name leads here. The times are of a',
    'machine with two cores and other load.',
  ]
}

/** Receives webhooks over TLS with a self-signed certificate in `receiver.pem`; `listen` needs the containers' network. */
async function startHttpsReceiver(folder) {
  const file = name => join(folder, name)
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=receiver', '-addext', `subjectAltName=IP:${HERE}`]
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', file('receiver.key'), '-out', file('receiver.pem')], {
    stdio: 'ignore',
  })
  let receiver
  return {
    async listen() {
      const tls = { key: readFileSync(file('receiver.key')), cert: readFileSync(file('receiver.pem')) }
      receiver = await startReceiver({ host: HERE, tls })
      return receiver
    },
    close: () => receiver?.close(),
  }
}
