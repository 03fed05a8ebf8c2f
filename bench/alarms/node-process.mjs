import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { later } from '../shared/child.mjs'
import { freePort } from '../../scripts/shared/free-port.mjs'

const GATEWAY = fileURLToPath(new URL('../chaos/gateway.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One process of the gateway, `postern start` as shipped, with a fixed metrics port. */
export async function startNode({ env, execArgv = [], root = ROOT, execPath = process.execPath, port }) {
  const watched = port ?? (await freePort())
  const child = fork(GATEWAY, [root], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      POSTERN_PORT: '0',
      POSTERN_LOG_LEVEL: 'error',
      POSTERN_METRICS_PORT: String(watched),
      ...env,
    },
    execArgv,
    execPath,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  const ended = new Promise(resolve => child.once('exit', resolve))
  const isUp = () => output.includes('is ready') && /Data /.test(output)
  for (let left = 1_200; left > 0 && !isUp(); left--) {
    if (child.exitCode !== null) throw new Error(`a process ended at its start: ${output}`)
    await later(100)
  }
  return {
    pid: child.pid,
    port: watched,
    target: `127.0.0.1:${watched}`,
    url: /is ready at (http:\S+)/.exec(output)?.[1],
    signal: name => child.kill(name),
    end: async (signal = 'SIGKILL') => {
      child.kill('SIGCONT')
      child.kill(signal)
      await ended
    },
  }
}
