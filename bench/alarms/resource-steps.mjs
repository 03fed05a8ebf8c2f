import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MemoryGroup } from './memory-group.mjs'

const required = name => ['--require', fileURLToPath(new URL(name, import.meta.url))]
const LEAKING = required('./leak.cjs')
const BUSY = required('./busy.cjs')
/** The reported limit includes the young generation, so keep that small. */
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=1']
const MB = 1024 * 1024

/** Resources that a process runs out of. */
export const resourceSteps = other => [
  {
    alarms: ['PosternHeapHigh'],
    how: 'a process with a leak, whose heap may have 256 MB',
    provoke: async () => {
      await other.start('api', { execArgv: [...HEAP, ...LEAKING], env: { LEAK: 'heap' } })
      other.signal('SIGUSR2')
    },
    mend: () => other.end(),
  },
  {
    alarms: ['PosternHostBusy'],
    how: 'a worker whose threads with numbers are kept from resting',
    provoke: () => other.start('worker', { execArgv: BUSY }),
    mend: () => other.end(),
  },
  memoryHigh(other),
  filesHigh(other),
  diskFull(other),
]

function memoryHigh(other) {
  let group
  return {
    alarms: ['PosternMemoryHigh'],
    how: 'a process with a leak outside of its heap, in a group that may have 320 MB',
    provoke: async () => {
      group = new MemoryGroup(320 * MB)
      await other.start('api', { ...group.starting(...LEAKING), env: { LEAK: 'memory' } })
      other.signal('SIGUSR2')
    },
    mend: () => other.end(),
    after: () => group.remove(),
  }
}

function filesHigh(other) {
  const sockets = []
  return {
    alarms: ['PosternFilesHigh'],
    how: 'a process that may open 400 files, and 340 connections to it',
    provoke: async () => {
      await other.start('api', { execPath: '/usr/bin/prlimit', execArgv: ['--nofile=400', process.execPath] })
      for (let n = 0; n < 340; n++) sockets.push(connect(other.port, '127.0.0.1').on('error', () => {}))
    },
    mend: async () => {
      for (const socket of sockets) socket.destroy()
      await other.end()
    },
  }
}

function diskFull(other) {
  let disk
  return {
    alarms: ['PosternDiskFull'],
    how: 'a data folder on a disk of 20 MB of which 19 are taken',
    provoke: async () => {
      disk = mkdtempSync(join(tmpdir(), 'postern-alarms-disk-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk])
      writeFileSync(join(disk, 'filler'), Buffer.alloc(19 * MB))
      await other.start('api', { env: { POSTERN_DATA_DIR: disk } })
    },
    mend: () => rmSync(join(disk, 'filler')),
    after: async () => {
      await other.end()
      execFileSync('umount', [disk])
      rmSync(disk, { recursive: true })
    },
  }
}
