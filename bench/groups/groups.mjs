import { createServer } from 'node:http'
import { quantile } from '../shared/child.mjs'
import { contactOf, sandboxNumbers } from '../shared/contacts.mjs'
import { openStage } from '../shared/stage.mjs'

/**
 * Measures what a message to a large group costs, and how long direct messages of the same number wait meanwhile. Each
 * time is from the request to the event `sent`. The baseline is the same direct chat while the number sends nothing
 * else.
 *
 *   npm run bench -- groups        GROUPS_MEMBERS (1000, each with a phone and a computer), GROUPS_ROUNDS (3)
 */
const MEMBERS = Number(process.env.GROUPS_MEMBERS ?? 1_000)
const ROUNDS = Number(process.env.GROUPS_ROUNDS ?? 3)
const IDLE = 100

const sent = new Map()
const receiver = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks).toString())
    if (event.status === 'sent') sent.get(event.request_id)?.()
    if (event.status === 'failed') throw new Error(`a message failed: ${event.reason} ${event.detail}`)
    response.writeHead(200).end()
  })
})
await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve))
const stage = await openStage({ membersRead: false })
const { gateway, network, url, key } = stage
const digits = sandboxNumbers(7, 1)
const devices = await network.ask('pair', digits)
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/hook`
const [number] = await gateway.ask('adopt', { devices, webhookUrl })
await gateway.ask('untilConnected', 1)

const contact = contactOf(0, 0)
await send(contact)
const idle = []
for (let i = 0; i < IDLE; i++) idle.push(await send(contact))
console.log(`direct messages, one after the other: ${describe(idle)}`)
for (let round = 0; round < ROUNDS; round++) {
  const prefix = `15559${round}`
  const members = Array.from({ length: MEMBERS }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`)
  for (const what of ['first message, sessions have to be begun', 'another group of the same people']) {
    const group = await network.ask('group', { owner: digits[0], members })
    const { ms, direct } = await sendBeside(group)
    const ratio = Math.max(...direct) / quantile(idle, 0.99)
    console.log(
      `round ${round + 1}, ${MEMBERS} members, ${what}: ${inSeconds(ms)}; ` +
        `direct messages meanwhile: ${describe(direct)}, longest / idle p99 ${ratio.toFixed(1)}`,
    )
  }
}
await stage.close()
receiver.close()
receiver.closeAllConnections()

/** Sends to the group, and direct messages one after the other until the group's is sent. */
async function sendBeside(group) {
  let isSent = false
  const direct = []
  const sending = send(group).finally(() => (isSent = true))
  while (!isSent) direct.push(await send(contact))
  return { ms: await sending, direct }
}

/** Returns the milliseconds from the request to the event `sent`. */
async function send(to) {
  const began = performance.now()
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: number.sessionId, to, text: 'x'.repeat(200) }),
  })
  if (answer.status !== 202) throw new Error(`the gateway answered ${answer.status}`)
  const id = (await answer.json()).request_id
  await new Promise(resolve => sent.set(id, resolve))
  return performance.now() - began
}

function describe(times) {
  const [p50, longest] = [quantile(times, 0.5), Math.max(...times)]
  return `${times.length}, p50 ${p50.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`
}

function inSeconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
