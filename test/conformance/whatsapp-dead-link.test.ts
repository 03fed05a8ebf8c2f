import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { expect, test } from 'vitest'
import { openBareSocket } from '../harness/bare-socket.ts'
import { startRig } from '../harness/whatsapp-rig.ts'

test('E18: the settings of production detect a link that is open but dead; the library alone is later', async () => {
  const rig = await startRig({ historySync: false })
  const ours = await rig.link('999510000001')
  const bare = await openBareSocket(rig.simulator, await rig.pair('999510000002'))
  let bareEnded = false
  bare.sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') bareEnded = true
  })
  ours.links.length = 0
  rig.simulator.faults.silence(ours.jid)
  rig.simulator.faults.silence('999510000002')
  await ours.until(() => ours.links.some(({ state }) => state === 'closed'))
  expect(bareEnded).toBe(false)
  expect(DEFAULT_CONNECTION_CONFIG.keepAliveIntervalMs).toBe(30_000)
  await ours.open()
  await bare.end()
  await rig.close()
})
