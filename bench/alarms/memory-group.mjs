import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { later } from '../shared/child.mjs'

/** A memory cgroup with a limit, like that of a container. */
export class MemoryGroup {
  #folder

  constructor(bytes) {
    const isFirstVersion = existsSync('/sys/fs/cgroup/memory')
    this.#folder = join(isFirstVersion ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', `postern-alarms-${process.pid}`)
    mkdirSync(this.#folder)
    writeFileSync(join(this.#folder, isFirstVersion ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes))
  }

  /** Options to start a Node program in it. */
  starting(...execArgv) {
    const enter = `echo $$ >${this.#folder}/cgroup.procs && exec "$0" "$@"`
    return { execPath: '/bin/sh', execArgv: ['-c', enter, process.execPath, ...execArgv] }
  }

  /** Removes the group once it is empty, which takes a little longer than the last process. */
  async remove() {
    for (let left = 50; ; left--) {
      try {
        return rmdirSync(this.#folder)
      } catch (error) {
        if (left === 0) throw error
        await later(100)
      }
    }
  }
}
