import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { EMPTY_PAGES, GATE_PAGES, MOMENTS, SIGN_IN_PAGES } from './screenshot-moments.mjs'
import { helpIfAsked } from './shared/help.mjs'

/**
 * Takes screenshots of every page, its dialogs and its rare states:
 * `npm run screenshots -- [folder] [--only name,name] [--widths 360,1280] [--themes light] [--language de] [--sets pages,docs]`.
 */
helpIfAsked(import.meta.url)
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
const sets = option('sets', ['pages', 'moments', 'empty', 'sign-in', 'docs'])
const [language] = option('language', ['en'])
const t = await textsOf(language)
const HEIGHTS = { 360: 780, 390: 844, 1440: 900, 1280: 860, 1920: 1080, 2560: 1440, 3840: 2160 }
const CONTACT = '15551234567'
/** Actions on a page before its screenshot. */
const ON_PAGE = {
  phone: openFirstEvent,
  replay: visitor => visitor.getByRole('button', { name: t('Replay') }).click(),
  'new-webhook': tryWebhook,
  'endpoint-failing': visitor => visitor.getByRole('button', { name: t('Send a test') }).click(),
  'new-endpoint': visitor => visitor.getByRole('button', { name: t('Choose'), exact: true }).click(),
  'edit-endpoint': visitor => visitor.getByRole('button', { name: t('Edit'), exact: true }).click(),
  palette: visitor => search(visitor, 'not_found'),
  'send-file': async visitor => {
    await visitor.getByRole('button', { name: t('Send a message') }).click()
    await visitor.getByLabel(t('Content')).selectOption(t('Document'))
  },
  'number-channel-find': async visitor => {
    await visitor.getByLabel(t('Link of the channel')).fill(at.channelLink)
    await visitor.getByRole('button', { name: t('Find'), exact: true }).click()
    await visitor.waitForTimeout(1_000)
  },
  'number-group': visitor => visitor.getByRole('button', { name: t('Show the link') }).click(),
}

const endpoint = createServer((request, response) => request.resume().on('end', () => response.end('ok'))).listen(0)
const stage = await openStage({
  roles: 'api,worker,dispatcher,simulator',
  numbers: 7,
  messages: 4_000,
  history: 400,
  deadLetters: 6,
})
const page = await stage.visit({ viewport: { width: 1280, height: 860 } })
const at = await createData()
const paths = pagesOf(at)
mkdirSync(folder, { recursive: true })
for (const theme of themes) for (const width of widths) await shoot(theme, width)
await stage.close()
endpoint.close()
console.log(`The screenshots are in ${folder}`)

async function post(path, data) {
  const answer = await page.request.post(`${stage.url}/portal/api${path}`, { data, headers: { origin: stage.url } })
  if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`)
  return await answer.json()
}
async function get(path) {
  return await (await page.request.get(`${stage.url}/portal/api${path}`)).json()
}

/** Creates a sandbox number with a chat and a webhook, one whose endpoint is unreachable, one without a webhook, keys and accounts. */
async function createData() {
  const number = await post('/v1/sessions', { platform: 'sandbox', label: 'Staging' })
  const quiet = await post('/v1/sessions', { platform: 'sandbox', label: 'Without a webhook' })
  const kiosk = await post('/v1/sessions', { platform: 'sandbox', label: 'Kiosk' })
  const paused = await post('/v1/sessions', { platform: 'sandbox', label: 'Summer sale' })
  await page.request.patch(`${stage.url}/portal/api/v1/sessions/${encodeURIComponent(paused.id)}`, {
    data: { paused: true },
    headers: { origin: stage.url },
  })
  const urlsOf = url => ({ messages_url: url, status_url: url, connection_url: url, events_url: url })
  const good = urlsOf(`http://127.0.0.1:${endpoint.address().port}/hooks`)
  const webhook = await post('/v1/webhooks', { session_id: number.id, ...good })
  const failing = await post('/v1/webhooks', { session_id: kiosk.id, ...urlsOf('http://127.0.0.1:49151/hooks') })
  const orders = await post('/v1/endpoints', {
    url: good.messages_url.replace('/hooks', '/orders'),
    description: 'Orders',
    kinds: ['message', 'status', 'receipt'],
    include: ['own', 'context'],
    headers: { 'X-Tenant': 'seven' },
    signature: 'standard',
  })
  const broken = await post('/v1/endpoints', { url: 'http://127.0.0.1:49151/crm', description: 'CRM' })
  await post('/v1/endpoints', { url: 'http://127.0.0.1:49151/old', session_ids: [number.id], active: false })
  for (const label of ['Production', 'Staging', 'Warehouse scanner']) {
    const ids = label === 'Production' ? {} : { session_ids: [number.id] }
    const { key } = await post('/v1/keys', { label, ...ids })
    const headers = { authorization: `Bearer ${key}` }
    for (const path of ['me', 'sessions', 'messages/msg_nothing']) await fetch(`${stage.url}/v1/${path}`, { headers })
  }
  for (const [name, plan] of Object.entries({ Globex: 'pro', Initech: 'free', 'Stark Industries': 'max' }))
    await post('/operator/accounts', { name, plan, accept_tos: plan !== 'free' })
  const phone = `/phone?number=${encodeURIComponent(number.id)}&chat=${CONTACT}`
  await page.goto(stage.url + phone)
  await page.getByLabel('Message', { exact: true }).waitFor()
  await talk(number.id)
  const lists = await createLists(number.id, kiosk.id)
  const sent = async (from, body) =>
    `/messages/${(await post('/v1/messages', { session_id: from.id, to: CONTACT, text: 'Hello', ...body })).message_id}`
  const one = async (list, query) => `/${list}/${(await get(`/v1/${list}?limit=1&${query}`)).data[0].id}`
  const made = {
    phone,
    number: numberPath(stage.sessions[0]),
    disconnected: numberPath(stage.sessions[3]),
    loggedOut: numberPath(stage.sessions[6]),
    paused: numberPath(paused),
    sandboxNumber: numberPath(number),
    chats: `${numberPath(number)}/chats`,
    groups: `${numberPath(number)}/groups`,
    group: `${numberPath(number)}/groups/${encodeURIComponent(lists.group)}`,
    channelLink: lists.channelLink,
    channels: `${numberPath(number)}/channels`,
    noGroups: `${numberPath(quiet)}/groups`,
    offlineGroups: `${numberPath(paused)}/groups`,
    phoneUnheard: `/phone?number=${encodeURIComponent(quiet.id)}&chat=${CONTACT}`,
    webhook: `/webhooks/${webhook.id}`,
    failingWebhook: `/webhooks/${failing.id}`,
    endpoint: `/endpoints/${orders.id}`,
    failingEndpoint: `/endpoints/${broken.id}`,
    inactiveWebhook: `/webhooks/${stage.sessions[6].webhook}`,
    scheduled: await sent(number, { send_at: new Date(Date.now() + 7_200_000).toISOString() }),
    refusedMessage: await sent(quiet, { to: '15551230463' }),
    unheard: await sent(quiet, {}),
    kioskMessage: await sent(kiosk, {}),
  }
  await page.waitForTimeout(4_000)
  return {
    ...made,
    message: await one('messages', `state=read&session_id=${encodeURIComponent(number.id)}`),
    failedMessage: await one('messages', 'state=failed'),
    delivery: await one('deliveries', 'status=dead'),
    delivered: await one('deliveries', 'status=delivered'),
    retrying: await one('deliveries', 'status=failed'),
  }
}

/** Creates groups, channels and marked chats of a number. Returns the JID of a group, and the link of a channel. */
async function createLists(id, otherId) {
  const of = number => `/v1/sessions/${encodeURIComponent(number)}`
  const made = []
  for (const subject of ['Project 1001', 'Warehouse', 'Support team: late shift, weekends and public holidays'])
    made.push(await post(`${of(id)}/groups`, { subject, members: [CONTACT, '15557654321'] }))
  await post(`${of(id)}/newsletters`, { name: 'Shop news', description: 'Offers every Monday' })
  const { jid, invite } = await post(`${of(otherId)}/newsletters`, { name: 'Weather', description: 'Every morning' })
  const change = (method, path, data) =>
    page.request[method](`${stage.url}/portal/api${of(id)}${path}`, { data, headers: { origin: stage.url } })
  await change('put', `/newsletters/${encodeURIComponent(jid)}/follow`)
  await get(`${of(id)}/chats`)
  await page.waitForTimeout(1_500)
  await post(`/sandbox/sessions/${encodeURIComponent(id)}/incoming`, { from: CONTACT, type: 'text', text: 'Hello?' })
  await change('patch', `/chats/${CONTACT}`, { pinned: true })
  await change('patch', '/chats/15557654321', { archived: true, muted_until: '9999-12-31T00:00:00.000Z' })
  return { group: made[2].jid, channelLink: invite }
}

function numberPath({ id }) {
  return `/numbers/${encodeURIComponent(id)}`
}

function pagesOf(at) {
  return {
    overview: '/?range=7d',
    numbers: '/numbers',
    number: at.number,
    'number-logged-out': at.loggedOut,
    'number-paused': at.paused,
    'number-chats': at.chats,
    'number-groups': at.groups,
    'number-groups-none': at.noGroups,
    'number-groups-offline': at.offlineGroups,
    'number-group': at.group,
    'number-group-new': `${at.groups}?add=group`,
    'number-channels': at.channels,
    'number-channel-new': `${at.channels}?add=channel`,
    'number-channel-find': `${at.channels}?add=follow`,
    'send-file': '/messages',
    'add-number': '/numbers?add=sandbox',
    link: '/link?platform=sandbox',
    phone: at.phone,
    'phone-chats': at.phone.replace(/&chat=.*/, ''),
    'two-phones': `${at.phone}&second=list`,
    messages: '/messages',
    message: at.message,
    deliveries: '/deliveries',
    'dead-letters': '/deliveries?status=dead',
    delivery: at.delivery,
    replay: '/deliveries?status=dead#replay',
    'no-deliveries': '/deliveries?status=pending&type=outbound_failure',
    webhooks: '/webhooks',
    webhook: at.webhook,
    'new-webhook': '/webhooks/new',
    endpoints: '/endpoints',
    endpoint: at.endpoint,
    'endpoint-failing': at.failingEndpoint,
    'new-endpoint': '/endpoints?add=endpoint',
    'edit-endpoint': at.endpoint,
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
  }
}

/** The documentation pages at the paths where the gateway serves them. */
function docsPages() {
  const root = new URL('../dist/docs/', import.meta.url)
  const names = readdirSync(root, { recursive: true }).filter(name => name.endsWith('.html') && name !== '404.html')
  return Object.fromEntries(
    names
      .map(name => name.replace(/\.html$/, ''))
      .map(name => [`docs-${name.replace('/', '-')}`, name === 'index' ? '/docs' : `/docs/${name}`]),
  )
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
  const options = {
    viewport: { width, height: HEIGHTS[width] ?? 1000 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: language,
  }
  const take = async (visitor, name, path, act) => {
    if (only !== null && !only.includes(name)) return
    try {
      await open(visitor, path)
      await act?.({ page: visitor, t, url: stage.url })
    } catch (error) {
      console.error(`${name} at ${width} ${theme}: ${error.message.split('\n')[0]}`)
    }
    await visitor.waitForTimeout(400)
    await visitor.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) })
    await visitor.context().setOffline(false)
    await visitor.unrouteAll({ behavior: 'ignoreErrors' })
  }
  if (sets.includes('pages') || sets.includes('docs')) {
    const visitor = await stage.visit(options)
    const wanted = { ...(sets.includes('pages') && paths), ...(sets.includes('docs') && docsPages()) }
    for (const [name, path] of Object.entries(wanted)) await take(visitor, name, path, on => ON_PAGE[name]?.(on.page))
    await visitor.context().close()
  }
  if (sets.includes('moments')) {
    const visitor = await stage.visit(options)
    for (const [name, [path, act, onlyAt]] of Object.entries(MOMENTS))
      if (onlyAt === undefined || onlyAt === width) await take(visitor, name, path(at), act)
    await visitor.context().close()
  }
  if (sets.includes('empty')) await shootEmpty(options, take)
  if (sets.includes('sign-in')) {
    const visitor = await stage.visit(options)
    await visitor.context().clearCookies()
    for (const [name, [path, act]] of Object.entries(SIGN_IN_PAGES)) await take(visitor, name, path, act)
    await visitor.context().close()
  }
}

async function shootEmpty(options, take) {
  for (const [prefix, pages, terms] of [
    ['gate', GATE_PAGES, null],
    ['empty', EMPTY_PAGES, '2026-01'],
  ]) {
    const visitor = await stage.visit(options, await stage.addNewcomer(terms))
    for (const [name, path] of Object.entries(pages)) await take(visitor, `${prefix}-${name}`, path)
    await visitor.context().close()
  }
}

async function open(visitor, path) {
  await visitor.goto(stage.url + path)
  await visitor.locator('h1, h2').first().waitFor()
  await visitor.waitForFunction(() => document.querySelector('.skeleton') === null, null, { timeout: 10_000 })
  await visitor.evaluate(() => document.fonts.ready)
}

async function tryWebhook(visitor) {
  await visitor.getByLabel(t('Endpoint URL')).fill(`http://127.0.0.1:${endpoint.address().port}/hooks`)
  await visitor.getByRole('button', { name: t('Send a test') }).click()
  await visitor.getByText(t('Answered {code}').replace('{code}', '200')).first().waitFor()
}

async function search(visitor, words) {
  await visitor.keyboard.press('Control+k')
  await visitor.locator('dialog[open] input').fill(words)
  await visitor.waitForTimeout(600)
}

/** On a narrow screen the events are behind a button. */
async function openFirstEvent(visitor) {
  const part = visitor.getByRole('button', { name: t('Events'), exact: true })
  if (await part.isVisible()) await part.click()
  const event = visitor.getByRole('button', { name: /^message/ }).first()
  await event.click()
  await visitor.waitForTimeout(300)
}

/** The portal's translations in a language, by the English text. */
async function textsOf(language) {
  if (language === 'en') return text => text
  const source = readFileSync(new URL(`../portal/src/texts/${language}.ts`, import.meta.url), 'utf8')
  const script = source.replace(/^import type .*$/m, '').replace('texts: Texts', 'texts')
  const { texts } = await import(`data:text/javascript,${encodeURIComponent(script)}`)
  return text => texts[text] ?? text
}
