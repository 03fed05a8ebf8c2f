import { later, startChild } from '../shared/child.mjs'
import { sandboxNumbers } from '../shared/contacts.mjs'
import { openStage } from '../shared/stage.mjs'

/**
 * Measures the memory and the time that a history of real size takes when a number is linked: parts of about 5 MB, each a
 * file of the simulated network. The gateway stores the names in it; the baseline only decodes as many parts.
 *
 *   npm run bench -- history       HISTORY_PARTS (21), HISTORY_CHATS (2400 in each), HISTORY_MESSAGES (5 in each chat)
 */
const PARTS = Number(process.env.HISTORY_PARTS ?? 21)
const CHATS = Number(process.env.HISTORY_CHATS ?? 2_400)
const MESSAGES = Number(process.env.HISTORY_MESSAGES ?? 5)
const SAMPLE_MS = 50
const MB = 1024 * 1024

const stage = await openStage({})
const { gateway, network } = stage
const digits = sandboxNumbers(8, 1)
const [number] = await gateway.ask('adopt', { devices: await network.ask('pair', digits) })
await gateway.ask('untilConnected', 1)
await later(2_000)
const before = await gateway.ask('memory')
const baseline = (await gateway.ask('usage')).rss
let peak = baseline
let isDone = false
const sampling = sample()
const began = performance.now()
for (let part = 0; part < PARTS; part++)
  await network.ask('sendOldChats', { number: digits[0], first: part * CHATS, chats: CHATS, messages: MESSAGES })
while ((await gateway.ask('knownNames', number.sessionId)) < PARTS * CHATS) await later(SAMPLE_MS)
const ms = performance.now() - began
isDone = true
await sampling
const after = await gateway.ask('memory')
console.log(
  `${PARTS} parts, ${PARTS * CHATS} people: ${(ms / 1000).toFixed(1)} s, at most ${inMb(peak - baseline)} MB more resident ` +
    `memory; heaps ${describe(before)} MB, then ${describe(after)} MB`,
)
await stage.close()
const bare = startChild(new URL('bare-decode.mjs', import.meta.url))
const decoded = await bare.ask('decode', { parts: PARTS, chats: CHATS, messages: MESSAGES })
await bare.stop()
console.log(`bare engine: ${(decoded.ms / 1000).toFixed(1)} s, at most ${inMb(decoded.more)} MB more resident memory`)

async function sample() {
  while (!isDone) {
    peak = Math.max(peak, (await gateway.ask('usage')).rss)
    await later(SAMPLE_MS)
  }
}

function describe({ heaps }) {
  return heaps.map(inMb).join(' + ')
}

function inMb(bytes) {
  return (bytes / MB).toFixed(1)
}
