import { openStage } from '../../scripts/portal-stage.mjs'
import { quantile } from '../shared/child.mjs'

/** Measures response times and scrolling of every list with 500 history entries, 100 numbers and 100,000 messages. */
const AMOUNTS = { numbers: 100, messages: 100_000, history: 500, deadLetters: 40 }
const ROUNDS = Number(process.env.ROUNDS ?? 30)
const SCROLL_PX = 16_000
/** A fast flick: 6,000 pixels per second at 60 frames. */
const PX_PER_FRAME = 100

const LISTS = {
  numbers: '/v1/sessions?limit=100',
  webhooks: '/v1/webhooks?limit=100',
  deliveries: '/v1/deliveries?limit=100',
  'deliveries, dead': '/v1/deliveries?limit=100&status=dead',
  'deliveries, one number': '/v1/deliveries?limit=100&session_id=SESSION',
  messages: '/v1/messages?limit=100',
  'messages, one number': '/v1/messages?limit=100&session_id=SESSION',
  ...Object.fromEntries(
    ['queued', 'sent', 'delivered', 'read', 'played', 'failed', 'cancelled', 'scheduled'].map(state => [
      `messages, ${state}`,
      `/v1/messages?limit=100&state=${state}`,
    ]),
  ),
  keys: '/v1/keys',
  overview: '/v1/stats?range=30d',
  usage: '/v1/usage',
}
const PARTS = {
  script: ['FunctionCall', 'FireAnimationFrame', 'EventDispatch', 'TimerFire', 'v8.run', 'RunMicrotasks'],
  style: ['UpdateLayoutTree'],
  layout: ['Layout'],
  paint: ['PrePaint', 'Paint', 'Layerize', 'Commit'],
}
const PAGES = ['/numbers', '/webhooks', '/messages', '/deliveries', '/usage']

const stage = await openStage(AMOUNTS)
const page = await stage.visit({ viewport: { width: 1280, height: 900 } })
console.log('list                          p50 ms   p95 ms')
for (const [name, path] of Object.entries(LISTS)) {
  const times = await timesOf(path.replace('SESSION', encodeURIComponent(stage.sessions[5].id)))
  const cells = [quantile(times, 0.5), quantile(times, 0.95)].map(ms => ms.toFixed(1).padStart(8))
  console.log(`${name.padEnd(28)}${cells.join(' ')}`)
}
console.log('\nscroll                 worst frame ms   worst task, cpu ms   of which script, style, layout, paint')
for (const path of PAGES) {
  const { frameMs, task } = await scroll(path)
  const parts = ['script', 'style', 'layout', 'paint'].map(name => task[name].toFixed(1)).join(', ')
  console.log(`${path.padEnd(22)}${frameMs.toFixed(1).padStart(15)}${task.ms.toFixed(1).padStart(21)}   ${parts}`)
}
await stage.close()

/** Requests like the portal's: with its session, from the page. */
async function timesOf(path) {
  return await page.evaluate(
    async ([address, rounds]) => {
      const times = []
      for (let i = 0; i < rounds; i++) {
        const began = performance.now()
        const answer = await fetch(address)
        if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
        await answer.json()
        times.push(performance.now() - began)
      }
      return times
    },
    [`/portal/api${path}`, ROUNDS],
  )
}

async function scroll(path) {
  await page.goto(stage.url + path)
  await page.locator('[role=cell]').first().waitFor()
  // Exclude remaining work of the first load from the scrolling.
  await page.waitForTimeout(1_000)
  const devtools = await page.context().newCDPSession(page)
  const events = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  await devtools.send('Tracing.start', { categories: 'devtools.timeline,toplevel', transferMode: 'ReportEvents' })
  const frames = await page.evaluate(scrollByFrames, [SCROLL_PX, PX_PER_FRAME])
  const complete = new Promise(resolve => devtools.once('Tracing.tracingComplete', resolve))
  await devtools.send('Tracing.end')
  await complete
  await devtools.detach()
  return { frameMs: Math.max(...frames), task: worstTask(events) }
}

/** Scrolls down and up by a fixed step per frame, so that the work per frame does not depend on the machine's load. */
function scrollByFrames([distance, step]) {
  return new Promise(resolve => {
    const frames = []
    let left = 2 * distance
    let last = 0
    const tick = now => {
      if (last > 0) frames.push(now - last)
      last = now
      window.scrollBy(0, left > distance ? step : -step)
      left -= step
      if (left > 0) requestAnimationFrame(tick)
      else resolve(frames)
    }
    requestAnimationFrame(tick)
  })
}

/** The longest task of the page's main thread by processor time, and its parts. */
function worstTask(events) {
  const main = events.find(event => event.name === 'FireAnimationFrame')
  const own = events.filter(event => event.pid === main?.pid && event.tid === main?.tid && event.ph === 'X')
  const tasks = own.filter(event => event.name.endsWith('RunTask'))
  const worst = tasks.reduce((a, b) => (b.tdur > a.tdur ? b : a), { dur: 0, tdur: 0, ts: 0 })
  const inside = own.filter(event => event.ts >= worst.ts && event.ts + event.dur <= worst.ts + worst.dur)
  const parts = Object.entries(PARTS).map(([name, names]) => [name, union(inside.filter(e => names.includes(e.name)))])
  return { ms: worst.tdur / 1000, ...Object.fromEntries(parts) }
}

/** Nested events count once. */
function union(events) {
  let total = 0
  let end = 0
  for (const { tts, tdur } of [...events].sort((a, b) => a.tts - b.tts)) {
    total += Math.max(0, tts + tdur - Math.max(tts, end))
    end = Math.max(end, tts + tdur)
  }
  return total / 1000
}
