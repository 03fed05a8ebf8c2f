import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../shared/command.mjs'

/** The default version. */
export const VERSION = '1.123.81'

/** Packages that n8n would fetch from outside the registry, or in a newer incompatible version; the node needs neither. */
const OVERRIDES = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' }

/** Peers that n8n 2 does not install itself: with --legacy-peer-deps npm would choose an old version. */
const PEERS = { '@opentelemetry/core': '2.1.0' }

/** Installs n8n into a folder, once. It compiles the database there, to fetch nothing from outside the registry. */
export async function installRuntime(folder, version) {
  const program = join(folder, 'node_modules/n8n/package.json')
  const isBuilt = existsSync(join(folder, 'node_modules/sqlite3/build/Release/node_sqlite3.node'))
  if (isBuilt && JSON.parse(readFileSync(program, 'utf8')).version === version) return `n8n ${version} was there`
  const manifest = { private: true, dependencies: { n8n: version, ...PEERS }, overrides: OVERRIDES }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--omit=dev', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'], {
    cwd: folder,
  })
  await run('npm', ['rebuild', 'sqlite3'], {
    cwd: folder,
    env: { ...process.env, npm_config_build_from_source: 'true' },
  })
  return `n8n ${version}`
}

/** n8n with a separate home folder. */
export class N8n {
  #program
  #env
  #server

  constructor(folder, version, home, port) {
    this.url = `http://127.0.0.1:${port}`
    this.home = home
    /** From version 2 on, a workflow is published instead of activated. */
    this.publishes = Number.parseInt(version, 10) >= 2
    this.#program = join(folder, 'node_modules/n8n/bin/n8n')
    this.#env = {
      ...process.env,
      N8N_USER_FOLDER: home,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      WEBHOOK_URL: `${this.url}/`,
      N8N_ENCRYPTION_KEY: 'a trial',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      N8N_RUNNERS_ENABLED: 'false',
      // The other engine is a native module that needs Node 22.
      N8N_EXPRESSION_ENGINE: 'legacy',
      N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
      N8N_SECURE_COOKIE: 'false',
      N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
      NO_COLOR: '1',
    }
  }

  /** Installs the package like n8n installs a community node. */
  async install(tarball) {
    const nodes = join(this.home, '.n8n/nodes')
    mkdirSync(nodes, { recursive: true })
    writeFileSync(join(nodes, 'package.json'), JSON.stringify({ name: 'installed-nodes', private: true }))
    await run(
      'npm',
      ['install', tarball, '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--omit=dev'],
      { cwd: nodes },
    )
  }

  command(...args) {
    return run(process.execPath, [this.#program, ...args], { env: this.#env, cwd: this.home })
  }

  async importInto(kind, name, value) {
    const file = join(this.home, `${name}.json`)
    writeFileSync(file, JSON.stringify([value]))
    await this.command(`import:${kind}`, `--input=${file}`)
  }

  /** Runs a workflow from its manual trigger; returns the results of its nodes. */
  async execute(id) {
    const out = await this.command('execute', `--id=${id}`, '--rawOutput')
    return JSON.parse(out.slice(out.indexOf('{'))).data.resultData
  }

  /** Starts the server, which activates the workflows. Resolves when it reports that it is ready. */
  async start() {
    const server = spawn(process.execPath, [this.#program, 'start'], { env: this.#env, cwd: this.home })
    this.#server = server
    let output = ''
    await new Promise((resolve, reject) => {
      const read = chunk => {
        output += chunk
        if (output.includes('Editor is now accessible')) resolve()
      }
      server.stdout.on('data', read)
      server.stderr.on('data', read)
      server.once('exit', code => reject(new Error(`n8n ended with ${code}:\n${output.slice(-3000)}`)))
    })
  }

  async stop(signal) {
    const server = this.#server
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    server.removeAllListeners('exit')
    const ended = new Promise(resolve => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }
}
