import { createHmac } from 'node:crypto'
import { Pool } from 'undici'

/** The baseline: undici pools that sign each body anew and post it, and store nothing. */
const IN_FLIGHT = 512
const secret = `whsec_${'s'.repeat(43)}`
const body = Buffer.from(JSON.stringify({ kind: 'message', text: 'x'.repeat(850), pad: 'y'.repeat(100) }))
let serial = 0

async function post(pool) {
  const t = String(Math.floor(Date.now() / 1000))
  const v1 = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  const { statusCode, body: answer } = await pool.request({
    path: '/hook',
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Webhook-ID': 'wh_bench',
      'X-Message-ID': `m${serial++}`,
      'X-Timestamp': t,
      'X-Webhook-Signature': `t=${t},v1=${v1}`,
    },
    body,
  })
  await answer.dump()
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
}

async function run({ ports, seconds }) {
  const pools = ports.map(port => new Pool(`http://127.0.0.1:${port}`, { connections: 32 }))
  let count = 0
  let counting = false
  let cpu
  const stopAt = performance.now() + (seconds + 1) * 1000
  setTimeout(() => {
    counting = true
    cpu = process.cpuUsage()
  }, 1000)
  const loop = async first => {
    for (let i = first; performance.now() < stopAt; i += IN_FLIGHT) {
      await post(pools[i % pools.length])
      if (counting) count++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, i) => loop(i)))
  const { user, system } = process.cpuUsage(cpu)
  await Promise.all(pools.map(pool => pool.destroy()))
  process.send({ rate: count / seconds, cpuMicros: (user + system) / count })
}

process.on('message', message => void run(message))
process.send({ ready: true })
