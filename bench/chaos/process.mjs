import { fork } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'

const GATEWAY = fileURLToPath(new URL('gateway.mjs', import.meta.url))
const OWN_ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RESTART_MS = 300
/** A process drains within 20 seconds; the rest is for a busy machine. */
const MOST_DRAINING_MS = 30_000

/** A process of the gateway that restarts whenever it ends, as under a supervisor. */
export class SupervisedProcess {
  /** Unexpected exits, and how often it ignored SIGTERM. */
  ownEnds = []
  stubborn = 0
  generation = 0
  #name
  #env
  #root
  #nextRoot
  #onLine
  #log
  #child
  #isUp = false
  #isWanted = true
  #expected = false

  constructor({ name, env, folder, onLine, root = OWN_ROOT }) {
    this.#name = name
    this.#env = env
    this.#nextRoot = root
    this.#onLine = onLine
    this.#log = createWriteStream(join(folder, `${name}.log`))
    this.#start()
  }

  get name() {
    return this.#name
  }

  get role() {
    return this.#env.POSTERN_ROLES
  }

  /** The folder of the version that runs. */
  get root() {
    return this.#root
  }

  /** Whether it has reported that it is ready, and is not being ended. */
  get isUp() {
    return this.#isUp
  }

  async kill() {
    await this.#end('SIGKILL')
  }

  async terminate() {
    const ended = this.#end('SIGTERM')
    const child = this.#child
    const isLate = await Promise.race([ended.then(() => false), later(MOST_DRAINING_MS).then(() => true)])
    if (!isLate) return
    this.stubborn++
    child.kill('SIGKILL')
    await ended
  }

  /** Replaces it by another version. */
  async become(root, { kill }) {
    this.#nextRoot = root
    await (kill ? this.kill() : this.terminate())
  }

  async pause(ms) {
    const child = this.#child
    child.kill('SIGSTOP')
    await later(ms)
    child.kill('SIGCONT')
  }

  /** Ends it without a restart. */
  async stop() {
    this.#isWanted = false
    this.#child.kill('SIGCONT')
    await this.#end('SIGKILL')
    this.#log.end()
  }

  #start() {
    this.#isUp = false
    this.#expected = false
    this.#root = this.#nextRoot
    this.generation++
    const child = fork(GATEWAY, [this.#root], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    this.#child = child
    createInterface({ input: child.stdout }).on('line', line => this.#read(child, line))
    child.stderr.pipe(this.#log, { end: false })
    child.once('exit', (code, signal) => void this.#ended(code ?? signal))
  }

  #read(child, line) {
    this.#log.write(`${line}\n`)
    if (!line.startsWith('{')) this.#isUp ||= child === this.#child && line.includes('is ready')
    else if (line.endsWith('}')) this.#onLine(this, JSON.parse(line))
  }

  async #end(signal) {
    this.#isUp = false
    this.#expected = true
    const child = this.#child
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  async #ended(how) {
    this.#isUp = false
    if (!this.#expected) this.ownEnds.push(`${this.#name} with ${how}`)
    await later(RESTART_MS)
    if (this.#isWanted) this.#start()
  }
}
