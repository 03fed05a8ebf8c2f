import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../shared/command.mjs'

const HIDDEN = ['/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware']
const OWN = ['pid', 'ipc', 'uts', 'mount']

/**
 * Starts an image like a container engine: the command, user and settings come from the image. The root
 * is read-only, there are no capabilities, and the process has pid 1 in separate namespaces.
 */
export function startContainer({ name, image, root, folder, env, mounts }) {
  const bundle = join(folder, name)
  mkdirSync(bundle, { recursive: true })
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(bundleOf({ image, root, env, mounts })))
  const child = spawn('runc', ['run', '--bundle', bundle, name], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += chunk))
  const ended = new Promise(resolve => child.once('close', resolve))
  return {
    printed: () => printed,
    /** Resolves with the code that the container ended with. */
    ended,
    kill: signal => run('runc', ['kill', name, signal]),
    /** Runs a command in the container, like a health check or `docker exec`. */
    exec: args => run('runc', ['exec', name, ...args]),
  }
}

function bundleOf({ image, root, env, mounts }) {
  const [uid, gid] = image.User.split(':').map(Number)
  const settings = new Map(image.Env.map(line => [line.slice(0, line.indexOf('=')), line]))
  for (const [key, value] of Object.entries(env)) settings.set(key, `${key}=${value}`)
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: [...image.Entrypoint, ...image.Cmd],
      env: [...settings.values()],
      cwd: image.WorkingDir,
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], permitted: [] },
    },
    root: { path: root, readonly: true },
    hostname: 'postern',
    mounts: [...systemMounts(), ...mounts.map(bind)],
    // No network namespace: the container uses this machine's network.
    linux: { namespaces: OWN.map(type => ({ type })), maskedPaths: HIDDEN },
  }
}

function systemMounts() {
  return [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
    { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'noexec', 'nodev', 'mode=1777'] },
    { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'noexec', 'nodev', 'mode=1777'] },
    bind({ from: '/etc/resolv.conf', to: '/etc/resolv.conf', readOnly: true }),
    bind({ from: '/etc/hosts', to: '/etc/hosts', readOnly: true }),
  ]
}

function bind({ from, to, readOnly }) {
  return { destination: to, type: 'bind', source: from, options: ['rbind', readOnly ? 'ro' : 'rw'] }
}
