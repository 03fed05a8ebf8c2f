import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInstalled, run } from '../shared/command.mjs'

const PACKAGES = { buildah: 'buildah', debootstrap: 'debootstrap', runc: 'runc' }
const BASE = 'localhost/postern-base'
const SUITE = 'bookworm'
const MAIN_ARCHIVE = /\/debian\/?$/
const SECURITY_ARCHIVE = /\/debian-security\/?$/
const APT = { DEBIAN_FRONTEND: 'noninteractive' }
const BASE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Required Debian packages that are not installed. */
export function missingPackages() {
  return Object.keys(PACKAGES).filter(command => !isInstalled(command))
}

export async function installPackages(names) {
  await run('apt-get', ['update'])
  const options = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends']
  await run('apt-get', [...options, ...names], { env: { ...process.env, ...APT } })
}

/**
 * Builds images in a separate store, with chroot isolation and plain copies for layers: needs no daemon. Images are in
 * `cache`, temporary files in `folder`; only this user can access them.
 */
export class Builder {
  #cache
  #folder
  #root

  constructor(root, cache, folder) {
    this.#root = root
    this.#cache = cache
    this.#folder = join(folder, 'build')
    mkdirSync(this.#folder, { mode: 0o700 })
  }

  buildah(...args) {
    const store = ['--root', join(this.#cache, 'store'), '--runroot', join(this.#cache, 'run')]
    return run('buildah', ['--storage-driver', 'vfs', ...store, ...args], { cwd: this.#root })
  }

  async hasBase() {
    return await this.buildah('inspect', '--type', 'image', BASE).then(
      () => true,
      () => false,
    )
  }

  /** A bare Debian with this machine's Node and npm, instead of the public base image. */
  async makeBase() {
    const system = join(this.#folder, 'system')
    rmSync(system, { recursive: true, force: true })
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates,libstdc++6', SUITE, system])
    await addSecurityUpdates(system)
    for (const spare of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
      rmSync(join(system, spare), { recursive: true, force: true })
    }
    addNode(system)
    writeFileSync(join(this.#folder, 'Base'), `FROM scratch\nADD system.tar /\nENV PATH=${BASE_PATH}\n`)
    const tar = join(this.#folder, 'system.tar')
    await run('tar', ['-C', system, '-cf', tar, '.'])
    await this.buildah('build', '--isolation', 'chroot', '-f', join(this.#folder, 'Base'), '-t', BASE, this.#folder)
    for (const done of [system, tar]) rmSync(done, { recursive: true, force: true })
  }

  async build(tag) {
    const npmrc = join(this.#folder, 'npmrc')
    const authorities = await writeNpmrc(npmrc)
    const mounts = authorities === null ? [] : ['--volume', `${authorities}:${authorities}:ro`]
    const secret = ['--secret', `id=npmrc,src=${npmrc}`]
    // Docker's format: the OCI format has no health check.
    const how = [
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '-f',
      'deploy/Dockerfile',
      '--build-arg',
      `BASE=${BASE}`,
    ]
    await this.buildah('build', ...how, ...secret, ...mounts, '-t', tag, '.')
    rmSync(npmrc)
  }

  /** The image's settings, its total size and the size of its base. */
  async describe(tag) {
    const inspected = JSON.parse(await this.buildah('inspect', '--type', 'image', tag))
    const sizes = JSON.parse(await this.buildah('images', '--json'))
    const bytes = name => sizes.find(({ names }) => names?.[0] === `${name}:latest`).size
    return { config: inspected.Docker.config, size: bytes(tag), baseSize: bytes(BASE) }
  }

  /** Unpacks a container's root into a folder, instead of mounting it. */
  async unpack(tag) {
    const name = await this.buildah('from', '--pull-never', tag)
    return { root: await this.buildah('mount', name), remove: () => this.buildah('rm', name) }
  }
}

/** Adds this machine's security archive: debootstrap installs the suite as it was released. */
async function addSecurityUpdates(system) {
  const archives = (await run('apt-get', ['indextargets', '--format', '$(REPO_URI)'])).split('\n')
  const main = archives.find(uri => MAIN_ARCHIVE.test(uri))
  const archive = archives.find(uri => SECURITY_ARCHIVE.test(uri)) ?? main?.replace(MAIN_ARCHIVE, '/debian-security')
  if (archive === undefined) throw new Error('no Debian archive is configured: run apt-get update first')
  const list = join(system, 'etc/apt/sources.list.d/security.list')
  writeFileSync(list, `deb ${archive} ${SUITE}-security main\n`)
  const apt = args => run('chroot', [system, 'apt-get', ...args], { env: { ...APT, PATH: BASE_PATH } })
  await apt(['update'])
  await apt(['-y', '--no-install-recommends', 'upgrade'])
  // The image must not name this machine's archive.
  rmSync(list)
}

function addNode(system) {
  const npm = join(dirname(dirname(process.execPath)), 'lib/node_modules/npm')
  if (!existsSync(npm)) throw new Error('npm is not beside node: install both from one package')
  cpSync(process.execPath, join(system, 'usr/bin/node'))
  cpSync(npm, join(system, 'usr/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(system, 'usr/bin', name))
}

/** Copies this machine's registry and trusted authorities, so that the build can reach the same servers. */
async function writeNpmrc(path) {
  const setting = async name => {
    const value = await run('npm', ['config', 'get', name])
    return value === 'null' || value === 'undefined' ? null : value
  }
  const authorities = await setting('cafile')
  const lines = [`registry=${await setting('registry')}`]
  if (authorities !== null) lines.push(`cafile=${authorities}`)
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  return authorities === null ? null : dirname(authorities)
}
