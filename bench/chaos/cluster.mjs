import { later, startChild } from '../shared/child.mjs'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { SupervisedProcess } from './process.mjs'

const PROCESSES = { api: 2, worker: 3, dispatcher: 2, simulator: 2 }
const START_MS = 120_000

/** All processes of the gateway, each with a separate relay to the database. */
export async function startCluster({ database, env, folder, onLine, root }) {
  const network = startChild(new URL('relays.mjs', import.meta.url))
  const members = []
  for (const [role, count] of Object.entries(PROCESSES)) {
    for (let n = 1; n <= count; n++) members.push(await startMember(role, n))
  }

  async function startMember(role, n) {
    const name = `${role}-${n}`
    const relayPort = await network.ask('open', { name, port: database.port() })
    const port = role === 'api' ? await freePort() : 0
    const own = {
      POSTERN_ROLES: role,
      POSTERN_PORT: String(port),
      POSTERN_DATABASE_URL: `postgres://postern@127.0.0.1:${relayPort}/postgres`,
    }
    const relay = {
      cut: () => network.ask('cut', name),
      silence: () => network.ask('silence', name),
      heal: ({ broken = false } = {}) => network.ask('heal', { name, broken }),
    }
    const process = new SupervisedProcess({ name, env: { ...env, ...own }, folder, onLine, root })
    return { process, relay, role, url: `http://127.0.0.1:${port}`, isBusy: false }
  }

  return {
    members,
    urls: members.filter(({ role }) => role === 'api').map(({ url }) => url),
    untilUp: async () => {
      for (const began = performance.now(); members.some(({ process }) => !process.isUp); await later(50)) {
        if (performance.now() - began > START_MS) throw new Error(`not up: ${notUp(members)}`)
      }
    },
    leadTo: port => network.ask('leadTo', port),
    stop: async () => {
      await Promise.all(members.map(({ process }) => process.stop()))
      await network.stop()
    },
  }
}

const notUp = members =>
  members
    .filter(({ process }) => !process.isUp)
    .map(({ process }) => process.name)
    .join(', ')
