import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { later, startChild } from './child.mjs'
import { sandboxNumbers } from './contacts.mjs'

/** A simulated network with these settings, and a gateway on it. */
export async function openStage({ webhookUrl, ...settings }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const network = startChild(new URL('sandbox-network.mjs', import.meta.url))
  const address = await network.ask('open', settings)
  const stage = {
    address,
    network,
    numbers: [],
    pair: async (first, count, skip = 0) => await network.ask('pair', sandboxNumbers(first, count + skip).slice(skip)),
    host: async (count, skip = 0) => {
      const hosted = await stage.gateway.ask('adopt', { devices: await stage.pair(1, count, skip), webhookUrl })
      stage.numbers.push(...hosted.map(each => each.sessionId))
      await stage.gateway.ask('untilConnected', stage.numbers.length)
    },
    answer: async numbers => {
      await network.ask('answer', numbers)
      while ((await network.ask('unacknowledged')) > 0) await later(50)
    },
    /** At the same address as before, if it ran before. */
    start: () => {
      stage.gateway = startChild(new URL('sandbox-gateway.mjs', import.meta.url), {
        POSTERN_DATA_DIR: dataDir,
        POSTERN_PORT: stage.url === undefined ? '0' : new URL(stage.url).port,
        POSTERN_ROLES: 'api,worker,dispatcher',
        POSTERN_SANDBOX: 'on',
      })
    },
    close: async () => {
      await stage.gateway.stop()
      await network.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  stage.start()
  await stage.gateway.ask('findNetwork', address)
  return Object.assign(stage, await stage.gateway.ask('register'))
}
