import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../shared/command.mjs'

/** The one that is driven where nobody names another. */
export const VERSION = '1.123.81'

/** What n8n takes from a server beside the registry, and what has moved on since: the node needs neither. */
const OVERRIDES = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' }

/** What n8n 2 asks its neighbours for, and does not bring itself: npm, told to leave peers alone, gives an old one. */
const PEERS = { '@opentelemetry/core': '2.1.0' }

/** Installs n8n into a folder, once. Its database is compiled there: nothing is fetched beside the registry. */
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

/** n8n with a home of its own. */
export class N8n {
  #program
  #env
  #server

  constructor(folder, version, home, port) {
    this.url = `http://127.0.0.1:${port}`
    this.home = home
    /** From 2 on a workflow is published; before, it was active or not. */
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
      // The other one is a native module that asks for Node 22.
      N8N_EXPRESSION_ENGINE: 'legacy',
      N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
      N8N_SECURE_COOKIE: 'false',
      N8N_BLOCK_ENV_ACCESS_IN_NODE: 'true',
      NO_COLOR: '1',
    }
  }

  /** As n8n installs a community node: from the package, beside its own files. */
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

  /** Runs a workflow from its manual trigger, and gives what each of its nodes came to. */
  async execute(id) {
    const out = await this.command('execute', `--id=${id}`, '--rawOutput')
    return JSON.parse(out.slice(out.indexOf('{'))).data.resultData
  }

  /** The server, which activates what is active. Resolves when it says so. */
  async start() {
    const server = spawn(process.execPath, [this.#program, 'start'], { env: this.#env, cwd: this.home })
    this.#server = server
    let said = ''
    await new Promise((resolve, reject) => {
      const hear = chunk => {
        said += chunk
        if (said.includes('Editor is now accessible')) resolve()
      }
      server.stdout.on('data', hear)
      server.stderr.on('data', hear)
      server.once('exit', code => reject(new Error(`n8n ended with ${code}:\n${said.slice(-3000)}`)))
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
