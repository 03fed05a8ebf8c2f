/** Dialogs and rare states of pages: the path, and the actions that lead to them. */
const CONTACT = '15551234567'
const button = (page, name) => page.getByRole('button', { name, exact: true }).locator('visible=true').first()
const pressing =
  (...names) =>
  async ({ page, t }) => {
    for (const name of names) await button(page, t(name)).click()
  }
const fill = async (page, label, value) => page.getByLabel(label, { exact: true }).first().fill(value)

/** A pairing of a real number that waits for its passkey, in the gateway's form. */
const passkeyPairing = () => ({
  id: 'pair_01m7je6dvr9ya4tfqnxtxyc2rw',
  method: 'qr',
  platform: 'whatsapp',
  status: 'passkey',
  expires_at: new Date(Date.now() + 9 * 60_000).toISOString(),
  passkey: { link: 'https://gateway.example/passkey#secret', options: { challenge: 'c2VjcmV0', rpId: 'whatsapp.com' } },
})

async function askPasskey({ page, url }) {
  await page.route(/\/v1\/pairings/, route => route.fulfill({ status: 200, json: passkeyPairing() }))
  await page.goto(`${url}/link`)
  await page.getByRole('radio').nth(1).check()
  await page.locator('#main form button[type=submit]').click()
  await page.getByRole('heading', { level: 3 }).waitFor()
}

const scan = async ({ page, t }) => {
  await button(page, t('Scan with the sandbox phone')).click()
  await page.getByRole('heading', { level: 3 }).waitFor({ timeout: 30_000 })
}

let serial = 0
const freshPhone = ending => `999${10 + (++serial % 90)}${ending}`

async function askCode({ page, t }, phone) {
  await button(page, t('Pairing code')).click()
  await fill(page, t('Number of the phone'), phone)
  await button(page, t('Get a code')).click()
}

const SENDS = {
  carousel: () => ({
    text: 'Our teas of the week',
    footer: 'Acme',
    carousel: [
      {
        title: 'Green tea',
        text: 'From Uji, 100 g',
        buttons: [
          { id: 'green', text: 'Order' },
          { type: 'url', text: 'Read more', url: 'https://example.com/green' },
        ],
      },
      { title: 'Black tea', text: 'From Assam, 100 g', buttons: [{ id: 'black', text: 'Order' }] },
    ],
  }),
  event: () => ({ event: { name: 'Opening of our shop', start: '2030-05-04T18:00:00Z' } }),
  event_change: ({ event }) => ({
    event_change: { message_id: event, name: 'Opening of our shop', start: '2030-05-05T18:00:00Z', canceled: true },
  }),
}

/** The number of the open sandbox phone sends these contents, one after the other. */
const writing =
  names =>
  async ({ page, url }) => {
    const session_id = new URL(page.url()).searchParams.get('number')
    const ids = {}
    for (const name of names) {
      const data = { session_id, to: CONTACT, ...SENDS[name](ids) }
      const answer = await page.request.post(`${url}/portal/api/v1/messages`, { data, headers: { origin: url } })
      ids[name] = (await answer.json()).message_id
      await page.waitForTimeout(1_500)
    }
  }

/** On an account with data. The last ones change it. */
export const MOMENTS = {
  'number-unlink': [at => at.number, pressing('Unlink')],
  'number-restart': [at => at.sandboxNumber, pressing('Restart')],
  'number-restarted': [
    at => at.sandboxNumber,
    async at => {
      await pressing('Restart')(at)
      await at.page.locator('dialog[open] footer button').last().click()
    },
  ],
  'number-disconnected': [at => at.disconnected],
  'message-failed': [at => at.failedMessage],
  'message-refused': [at => at.refusedMessage],
  'message-scheduled': [at => at.scheduled],
  'message-unheard': [at => at.unheard],
  'message-delete': [at => at.message, pressing('Delete for everyone')],
  'message-cancel': [at => at.scheduled, pressing('Cancel the message')],
  'messages-received': [() => '/messages?direction=received'],
  'delivery-delivered': [at => at.delivered],
  'delivery-retrying': [at => at.retrying],
  'delivery-resend': [at => at.delivery, pressing('Resend')],
  'deliveries-from-to': [() => '/deliveries?since=2026-01-01T00%3A00'],
  'request-refused': [() => '/requests?status=4xx', async ({ page }) => page.locator('[data-row]').first().click()],
  'webhook-rotate': [at => at.webhook, pressing('Rotate the secret')],
  'webhook-delete': [at => at.webhook, pressing('Delete')],
  'webhook-tested': [
    at => at.failingWebhook,
    async at => {
      await pressing('Test all')(at)
      await at.page.waitForTimeout(1_500)
    },
  ],
  'webhook-inactive': [at => at.inactiveWebhook],
  'webhook-each': [() => '/webhooks/new', pressing('Customise: a URL for each category')],
  'webhook-missing': [() => '/webhooks/new', pressing('Set the webhook')],
  'key-revoke': [() => '/keys', pressing('Revoke')],
  'sign-out-everywhere': [() => '/settings', pressing('Sign out everywhere')],
  'account-create': [() => '/accounts', pressing('Create an account')],
  'account-edit': [() => '/accounts', async ({ page }) => page.locator('[data-row]').first().click()],
  'palette-number': [
    () => '/numbers',
    async ({ page }) => {
      await page.keyboard.press('Control+k')
      await page.locator('dialog[open] input').fill('1555')
      await page.waitForTimeout(800)
    },
  ],
  shortcuts: [() => '/messages', async ({ page }) => page.keyboard.press('?')],
  menu: [() => '/', async ({ page, t }) => button(page, t('Open the menu')).click(), 390],
  'rail-narrow': [() => '/deliveries', async ({ page }) => page.locator('header button').first().click(), 1440],
  'overview-hour': [() => '/?range=1h'],
  'overview-table': [() => '/', pressing('As a table')],
  'phone-new-chat': [() => '/phone', pressing('New chat')],
  'phone-attach': [() => `/phone?chat=${CONTACT}`, pressing('Attach')],
  'phone-location': [() => `/phone?chat=${CONTACT}`, choosing('Location')],
  'phone-poll': [() => `/phone?chat=${CONTACT}`, choosing('Poll')],
  'phone-reply': [at => at.phone, async ({ page, t }) => button(page, t('Reply or react')).click({ force: true })],
  'phone-unheard': [at => at.phoneUnheard],
  'phone-carousel': [at => at.phone, writing(['carousel', 'event', 'event_change'])],
  'link-choice': [() => '/link'],
  'link-history': [
    () => '/link',
    async ({ page, t }) => {
      await page.getByRole('switch').click()
      await button(page, t('Continue')).click()
      await page.getByRole('alert').waitFor()
    },
  ],
  'group-members': [
    at => at.group,
    async ({ page, t }) => {
      await page.locator('input[type=checkbox]:enabled').first().check()
      const isMember = await button(page, t('Make admin')).isEnabled()
      await button(page, t(isMember ? 'Make admin' : 'Remove as admin')).click()
      await page.getByText(t(isMember ? 'Admin now' : 'No longer an admin')).scrollIntoViewIfNeeded()
    },
  ],
  'group-members-remove': [
    at => at.group,
    async ({ page, t }) => {
      await page.locator('input[type=checkbox]:enabled').first().check()
      await button(page, t('Remove')).click()
    },
  ],
  'link-code-asked': [() => '/link?platform=sandbox', pressing('Pairing code')],
  'deliveries-range': [
    () => '/deliveries?since=2026-03-10T00:00&until=2026-03-12T23:59',
    async ({ page }) => page.locator('[aria-label][aria-haspopup=dialog]').last().click(),
  ],
  'requests-reads': [() => '/requests?reads=show'],
  'link-code': [() => '/link?platform=sandbox', async at => askCode(at, freshPhone('5100011'))],
  'link-refused': [() => '/link?platform=sandbox', async at => askCode(at, '999555100404')],
  'link-later': [() => '/link?platform=sandbox', async at => askCode(at, '999555100429')],
  'passkey-extension': [() => '/', askPasskey],
  'passkey-console': [
    () => '/',
    async at => {
      await askPasskey(at)
      await pressing('Without an extension')(at)
    },
  ],
  'passkey-sandbox': [() => `/link?platform=sandbox&phone=${freshPhone('7277539')}`, scan],
  'passkey-confirm': [
    () => `/link?platform=sandbox&phone=${freshPhone('7277539')}`,
    async at => {
      await scan(at)
      await pressing('Use it and compare codes')(at)
      await at.page.locator('[data-code]').waitFor()
    },
  ],
  linked: [
    () => '/link?platform=sandbox',
    async ({ page, t }) => {
      await button(page, t('Scan with the sandbox phone')).click()
      await page.getByText(t('All numbers')).waitFor({ timeout: 45_000 })
      await page.waitForTimeout(1_500)
    },
  ],
  away: [
    () => '/deliveries',
    async ({ page }) => {
      await page.context().setOffline(true)
      await page.evaluate(() => window.dispatchEvent(new Event('offline')))
      await page.getByRole('alert').waitFor({ timeout: 60_000 })
    },
  ],
  unreadable: [
    () => '/',
    async ({ page, url }) => {
      await page.route(/\/portal\/api\/v1\//, route =>
        route.fulfill({ status: 400, json: { error: 'the store is away', request_id: 'req_01m7je6dvr9ya4' } }),
      )
      await page.goto(`${url}/messages`)
      await page.getByRole('alert').first().waitFor({ timeout: 30_000 })
    },
  ],
  waiting: [
    () => '/',
    async ({ page, url }) => {
      await page.route(/\/portal\/api\/v1\//, () => {})
      await page.goto(`${url}/`)
      await page.waitForTimeout(1_000)
    },
  ],
  'new-key-shown': [
    () => '/keys?add=key',
    async ({ page, t }) => {
      await fill(page, t('Label'), 'Staging')
      await button(page, t('Create the key')).click()
      await page.locator('[data-secret]').waitFor()
    },
  ],
  'secret-shown': [
    at => at.webhook,
    async at => {
      await pressing('Rotate the secret')(at)
      await at.page.locator('dialog[open] button[type=submit]').click()
      await at.page.locator('[data-secret]').waitFor()
    },
  ],
  'replay-running': [
    () => '/deliveries?status=dead',
    async at => {
      await pressing('Replay')(at)
      await at.page.waitForTimeout(800)
      await button(at.page, at.t('Start the replay')).click()
      await at.page.locator('progress').waitFor()
    },
  ],
}

function choosing(name) {
  return async ({ page, t }) => {
    await button(page, t('Attach')).click()
    await page.getByRole('menuitem', { name: t(name), exact: true }).click()
  }
}

/** On an empty account. */
export const EMPTY_PAGES = {
  overview: '/',
  numbers: '/numbers',
  phone: '/phone',
  messages: '/messages',
  'messages-received': '/messages?direction=received',
  deliveries: '/deliveries',
  webhooks: '/webhooks',
  endpoints: '/endpoints',
  'webhooks-new': '/webhooks/new',
  requests: '/requests',
  keys: '/keys',
  usage: '/usage',
  settings: '/settings',
}

/** Before the Terms are accepted. */
export const GATE_PAGES = { overview: '/', numbers: '/numbers', settings: '/settings' }

/** Before the sign-in. */
export const SIGN_IN_PAGES = {
  'sign-in-old-link': [`/sign-in#${'x'.repeat(43)}`, async ({ page }) => page.getByRole('alert').waitFor()],
  'sign-in': ['/sign-in'],
  'sign-in-refused': [
    '/sign-in',
    async ({ page }) => {
      await page.locator('input[type=email]').fill('ada@acme.example')
      await page.locator('input[type=password]').fill('not the password')
      await page.locator('button[type=submit]').click()
      await page.getByRole('alert').waitFor()
    },
  ],
  'sign-up': ['/sign-up'],
}
