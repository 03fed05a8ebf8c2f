import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { textsOf } from './portal-texts.mjs'

/**
 * Pictures of every page:
 * `npm run screenshots -- [folder] [--only name,name] [--widths 360,1280] [--themes light] [--language de]`.
 */
const { openStage } = await build({ quiet: true }).then(() => import('./portal-stage.mjs'))

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : process.argv[at + 1].split(',')
}
const first = process.argv[2]
const folder = first === undefined || first.startsWith('--') ? join(tmpdir(), 'postern-screenshots') : first
const widths = option('widths', ['390', '1440']).map(Number)
const themes = option('themes', ['light', 'dark'])
const only = option('only', null)
const [language] = option('language', ['en'])
const t = await textsOf(language)
const HEIGHTS = { 360: 780, 390: 844, 1440: 900, 1280: 860, 1920: 1080, 2560: 1440, 3840: 2160 }
const CONTACT = '15551234567'

const endpoint = createServer((request, response) => request.resume().on('end', () => response.end('ok'))).listen(0)
const stage = await openStage({
  roles: 'api,worker,dispatcher,simulator',
  numbers: 7,
  messages: 4_000,
  history: 400,
  deadLetters: 6,
})
const page = await stage.visit({ viewport: { width: 1280, height: 860 } })
const paths = await furnish()
mkdirSync(folder, { recursive: true })
for (const theme of themes) for (const width of widths) await shoot(theme, width)
await stage.close()
endpoint.close()
console.log(`The pictures are in ${folder}`)

async function post(path, data) {
  const answer = await page.request.post(`${stage.url}/portal/api${path}`, { data, headers: { origin: stage.url } })
  if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`)
  return await answer.json()
}
async function get(path) {
  return await (await page.request.get(`${stage.url}/portal/api${path}`)).json()
}

/** A sandbox number with a talk and a webhook, keys, and other accounts. */
async function furnish() {
  const number = await post('/v1/sessions', { platform: 'sandbox', label: 'Staging' })
  await post('/v1/sessions', { platform: 'sandbox', label: 'Without a webhook' })
  const url = `http://127.0.0.1:${endpoint.address().port}/hooks`
  const urls = { messages_url: url, status_url: url, connection_url: url, events_url: url }
  const webhook = await post('/v1/webhooks', { session_id: number.id, ...urls })
  for (const label of ['Production', 'Staging', 'Warehouse scanner']) {
    const { key } = await post('/v1/keys', { label })
    const headers = { authorization: `Bearer ${key}` }
    for (const path of ['me', 'sessions', 'messages/msg_nothing']) await fetch(`${stage.url}/v1/${path}`, { headers })
  }
  for (const [name, plan] of Object.entries({ Globex: 'pro', Initech: 'free', 'Stark Industries': 'max' }))
    await post('/operator/accounts', { name, plan, accept_tos: plan !== 'free' })
  const phone = `/phone?number=${encodeURIComponent(number.id)}&chat=${CONTACT}`
  await page.goto(stage.url + phone)
  await page.getByLabel('Message', { exact: true }).waitFor()
  await talk(number.id)
  const [message] = (await get('/v1/messages?state=read&limit=1')).data
  const [delivery] = (await get('/v1/deliveries?status=dead&limit=1')).data
  return {
    overview: '/?range=7d',
    numbers: '/numbers',
    number: `/numbers/${encodeURIComponent(stage.sessions[0].id)}`,
    'number-logged-out': `/numbers/${encodeURIComponent(stage.sessions[6].id)}`,
    'add-number': '/numbers?add=sandbox',
    link: '/link?platform=sandbox',
    phone,
    'phone-chats': `/phone?number=${encodeURIComponent(number.id)}`,
    'two-phones': `${phone}&second=list`,
    messages: '/messages',
    message: `/messages/${message.id}`,
    deliveries: '/deliveries',
    'dead-letters': '/deliveries?status=dead',
    delivery: `/deliveries/${delivery.id}`,
    replay: '/deliveries?status=dead#replay',
    'no-deliveries': '/deliveries?status=pending&type=outbound_failure',
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook.id}`,
    'new-webhook': '/webhooks/new',
    requests: '/requests',
    keys: '/keys',
    'new-key': '/keys?add=key',
    usage: '/usage',
    settings: '/settings',
    terms: '/settings/terms',
    accounts: '/accounts',
    nodes: '/nodes',
    nowhere: '/nowhere',
    palette: '/messages',
    docs: '/docs',
    'docs-quick-start': '/docs/quick-start',
    'docs-sending': '/docs/sending',
    'docs-receiving': '/docs/receiving',
    'docs-reference': '/docs/reference/messages',
    'docs-errors': '/docs/errors',
    'docs-command-line': '/docs/command-line',
    'docs-deploy': '/docs/deploy',
  }
}

async function talk(id) {
  const own = `/sandbox/sessions/${encodeURIComponent(id)}`
  const writes = text => post(`${own}/incoming`, { from: CONTACT, from_name: 'Ada', type: 'text', text })
  const sends = body => post('/v1/messages', { session_id: id, to: CONTACT, ...body })
  const pause = ms => page.waitForTimeout(ms)
  await writes('Hi! Is my order on its way?')
  await pause(700)
  await sends({ text: 'Hello Ada, yes: it left our warehouse this morning and arrives tomorrow.' })
  await pause(2_500)
  await writes('Great, thank you!')
  await pause(500)
  await sends({ poll: { name: 'When does it suit you best?', options: ['Morning', 'Afternoon', 'Evening'] } })
  await pause(1_500)
  await post(`${own}/incoming`, {
    from: '15557654321',
    from_name: 'Grace',
    type: 'location',
    location: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate' },
  })
  await pause(2_000)
}

async function shoot(theme, width) {
  const viewport = { width, height: HEIGHTS[width] ?? 1000 }
  const visitor = await stage.visit({ viewport, colorScheme: theme, reducedMotion: 'reduce', locale: language })
  for (const [name, path] of Object.entries(paths)) {
    if (only !== null && !only.includes(name)) continue
    await visitor.goto(stage.url + path)
    await visitor.locator('h1, h2').first().waitFor()
    await visitor.waitForFunction(() => document.querySelector('.skeleton') === null, null, { timeout: 10_000 })
    await visitor.evaluate(() => document.fonts.ready)
    if (name === 'phone') await openFirstEvent(visitor)
    if (name === 'replay') await visitor.getByRole('button', { name: t('Replay') }).click()
    if (name === 'new-webhook') await tryWebhook(visitor)
    if (name === 'palette') await search(visitor, 'not_found')
    await visitor.waitForTimeout(400)
    await visitor.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) })
  }
  await visitor.context().close()
}

async function tryWebhook(visitor) {
  await visitor.getByLabel(t('Endpoint URL')).fill(`http://127.0.0.1:${endpoint.address().port}/hooks`)
  await visitor.getByRole('button', { name: t('Send a test') }).click()
  await visitor.getByText(t('Answered {code}').replace('{code}', '200')).first().waitFor()
}

async function search(visitor, words) {
  await visitor.keyboard.press('Control+k')
  await visitor.getByRole('combobox').fill(words)
  await visitor.waitForTimeout(600)
}

/** Where there is room for one part of the page alone, the events are behind a button. */
async function openFirstEvent(visitor) {
  const part = visitor.getByRole('button', { name: t('Events'), exact: true })
  if (await part.isVisible()) await part.click()
  const event = visitor.getByRole('button', { name: /^message/ }).first()
  await event.click()
  await visitor.waitForTimeout(300)
}
