import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { isInstalled, run } from '../shared/command.mjs'
import { until } from '../shared/until.mjs'

const PROGRAMS = ['dockerd', 'containerd', 'docker', 'docker-compose', 'buildah', 'openssl']

export const missingPrograms = () => PROGRAMS.filter(name => !isInstalled(name))

/** A separate Docker daemon with its images in `cache`, which ends with the trial. It does not change the packet filter. */
export class Engine {
  #cache
  #folder
  #child
  #env

  constructor(cache, folder) {
    this.#cache = cache
    this.#folder = folder
    this.#env = { ...process.env, DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`, DOCKER_BUILDKIT: '0' }
  }

  async start() {
    const own = name => join(this.#folder, name)
    const places = ['--data-root', join(this.#cache, 'docker'), '--exec-root', own('exec'), '--pidfile', own('pid')]
    const filter = ['--iptables=false', '--ip-masq=false', '--bridge=none']
    this.#child = spawn('dockerd', ['--host', this.#env.DOCKER_HOST, ...places, ...filter], { stdio: 'pipe' })
    const log = createWriteStream(own('dockerd.log'))
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.pipe(log)
    this.version = await until('Docker answers', async () => {
      if (this.#child.exitCode !== null) throw new Error(`dockerd ended with ${this.#child.exitCode}`)
      return await this.docker('version', '--format', '{{.Server.Version}}').catch(() => null)
    })
  }

  docker(...args) {
    return run('docker', args, { env: this.#env })
  }

  /** `files` override each other in order; this version of Compose needs a flag for `deploy.replicas`. */
  compose(project, files, env, ...args) {
    const named = files.flatMap(file => ['-f', file])
    return run('docker-compose', ['--compatibility', '-p', project, ...named, ...args], {
      env: { ...this.#env, ...env },
    })
  }

  /** The ids of a service's containers. */
  async containersOf(project, service) {
    const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`]
    const listed = await this.docker('ps', '-q', ...labels.flatMap(label => ['--filter', `label=${label}`]))
    return listed.split('\n').filter(Boolean)
  }

  async inspect(id) {
    return JSON.parse(await this.docker('inspect', id))[0]
  }

  async stop() {
    if (this.#child === undefined || this.#child.exitCode !== null) return
    const ended = new Promise(resolve => this.#child.once('exit', resolve))
    this.#child.kill('SIGTERM')
    await ended
    // Docker leaves its network namespace mounted.
    await run('umount', [join(this.#folder, 'exec/netns/default')]).catch(() => {})
  }
}

/** The error of a trial, with the last logs of the containers. */
export async function withLogs(error, logs) {
  const output = await logs().catch(() => 'no logs')
  return new Error(`${error.message}\n${output}`, { cause: error })
}
