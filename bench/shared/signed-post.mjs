import { createHmac } from 'node:crypto'
import { Pool } from 'undici'

const SECRET = `whsec_${'s'.repeat(43)}`

/** Signs bodies and posts them over bare undici pools, one for each endpoint. */
export function openPosts(ports) {
  const pools = ports.map(port => new Pool(`http://127.0.0.1:${port}`, { connections: 32 }))
  return {
    async post(endpoint, body, id) {
      const t = String(Math.floor(Date.now() / 1000))
      const v1 = createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')
      const { statusCode, body: answer } = await pools[endpoint % pools.length].request({
        path: '/hook',
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Webhook-ID': 'wh_bench',
          'X-Message-ID': id,
          'X-Timestamp': t,
          'X-Webhook-Signature': `t=${t},v1=${v1}`,
        },
        body,
      })
      await answer.dump()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
      return statusCode
    },
    close: () => Promise.all(pools.map(pool => pool.destroy())),
  }
}
