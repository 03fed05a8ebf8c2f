import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { readConfig } from '../../src/config.ts'
import type { EndpointEvent } from '../../src/domain/event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutEndpoint } from '../../src/domain/sealed.ts'
import { mailAboutEndpoints } from '../../src/maintenance/endpoint-mails.ts'
import { probeSmtp, sendMail, smtpFailure } from '../../src/net/smtp.ts'
import { type DeliveryBed, openDelivery } from '../harness/delivery.ts'
import { type SmtpServer, startSmtpServer } from '../harness/smtp-server.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

let place: Place
let bed: DeliveryBed
let server: SmtpServer
let ending: AbortController
let running: Array<Promise<void>>
let id: string
let accountId: string

beforeEach(async () => {
  server = await startSmtpServer()
  place = await newPlace('postgres')
  bed = await openDelivery({
    ...place.env,
    POSTERN_SMTP_URL: server.url,
    POSTERN_SMTP_FROM: 'Postern <postern@example.com>',
    POSTERN_PUBLIC_URL: 'https://gateway.example.com',
  })
  ending = new AbortController()
  running = []
  accountId = await bed.addAccount()
  for (const email of ['ada@example.com', 'ben@example.com'])
    await queryPlace(
      place,
      `insert into users (id, account_id, email, is_operator, created_at)
       values ('${makeId('usr')}', '${accountId}', '${email}', 0, 1) returning id`,
    )
  id = await addEndpoint()
})

async function addEndpoint(): Promise<string> {
  const id = makeId('ep')
  await bed.context.store.endpoints.createEndpoint({
    id,
    accountId,
    url: 'https://customer.example.com/secret-path?token=secret',
    description: 'secret words',
    kinds: null,
    sessionIds: null,
    direction: null,
    include: [],
    headers: { names: [], sealed: null },
    signature: 'postern',
    retry: 'eager',
    reply: false,
    active: true,
    keepHours: null,
    sealedSecret: bed.context.seal.seal('whsec_x', aboutEndpoint(id)),
    request: null,
  })
  return id
}

afterEach(async () => {
  ending.abort()
  await Promise.all(running)
  await bed.close()
  await server.close()
  place.remove()
})

/** Another process that looks for mails. */
const lookForMails = () => void running.push(mailAboutEndpoints(bed.context, ending.signal))

async function becomes(kind: 'notify' | 'switch_off', endpointId = id): Promise<void> {
  const { store } = bed.context
  const event: EndpointEvent = {
    kind: 'endpoint',
    endpoint_id: endpointId,
    event: kind === 'notify' ? 'failing' : 'switched_off',
    failing_since_unix: 1_790_000_000,
    timestamp_unix: 1_790_003_600,
  }
  await store.endpoints.recordEndpointHealth({
    id: endpointId,
    health: { kind: 'failing', sinceMs: 1_790_000_000_000 },
  })
  await store.endpoints.recordEndpointHealth({
    id: endpointId,
    health: { kind, event: makeEvent(bed.context, accountId, event) },
  })
}

/** The row of the account's next mail; `undefined` if it has none. */
const waiting = async () =>
  (await queryPlace<{ due_at: number; tries: number }>(place, 'select due_at, tries from endpoint_mails'))[0]
/** Looks again an hour after its last mail. */
const isSent = async () => Number((await waiting())?.due_at) > (await bed.context.store.now()) + 3_000_000
const anHourPasses = () => queryPlace(place, 'update endpoint_mails set due_at = 1 returning account_id')
const messageIds = () => server.mails.map(({ text }) => /^Message-ID: *(.*)$/m.exec(text)![1])

test('a failing endpoint is reported by one mail, and by another one when it is switched off, however many processes look for mails', async () => {
  for (let n = 0; n < 3; n++) lookForMails()
  await becomes('notify')
  await until(isSent)
  ending.abort()
  await Promise.all(running)
  // A restart.
  ending = new AbortController()
  for (let n = 0; n < 3; n++) lookForMails()
  await becomes('notify')
  await becomes('switch_off')
  await anHourPasses()
  await until(() => server.mails.length === 2)
  await until(isSent)
  expect(server.mails.map(({ from, to }) => [from, to])).toEqual(
    [1, 2].map(() => ['postern@example.com', ['ada@example.com', 'ben@example.com']]),
  )
  const [failing, off] = server.mails.map(({ text }) => text)
  expect(failing).toContain(`Subject: The endpoint ${id} is failing`)
  expect(failing).not.toContain('customer.example.com')
  expect(failing).toContain('https://gateway.example.com/endpoints')
  expect(off).toContain(`Subject: Postern switched off the endpoint ${id}`)
  for (const text of [failing, off]) expect(text).not.toContain('secret')
  expect(new Set(messageIds()).size).toBe(2)
})

test('a mail that the server rejects is sent again later with the same Message-ID', async () => {
  server.answer = '451 later'
  lookForMails()
  await becomes('notify')
  await until(async () => Number((await waiting())?.tries) === 1 && server.mails.length === 1)
  await until(async () => Number((await waiting())?.due_at) < (await bed.context.store.now()) + 61_000)
  server.answer = '250 taken'
  await anHourPasses()
  await until(isSent)
  expect(server.mails).toHaveLength(2)
  expect(new Set(messageIds()).size).toBe(1)
})

test('no mail reports an endpoint that answers again, or what happened before mails were set up', async () => {
  await becomes('notify')
  await bed.context.store.endpoints.recordEndpointHealth({ id, health: { kind: 'answers', event: null } })
  lookForMails()
  await until(async () => (await waiting()) === undefined)
  ending.abort()
  await Promise.all(running)
  ending = new AbortController()
  await becomes('notify')
  await queryPlace(place, 'update endpoints set notified_at = notified_at - 90000000 returning id')
  lookForMails()
  await until(async () => (await waiting()) === undefined)
  expect(server.mails).toEqual([])
})

test('an account gets one mail an hour, which lists each endpoint that fails or was switched off since the last one', async () => {
  const others = await Promise.all(Array.from({ length: 4 }, addEndpoint))
  await becomes('notify')
  lookForMails()
  await until(isSent)
  for (const other of others) await becomes('notify', other)
  await becomes('switch_off', others[0])
  expect(await isSent()).toBe(true)
  await anHourPasses()
  await until(() => server.mails.length === 2)
  const { text } = server.mails[1]!
  expect(text).toContain('Subject: 4 of your endpoints fail or are switched off')
  expect(new Set(text.match(/^- ep_\w+/gm))).toEqual(new Set(others.map(other => `- ${other}`)))
  expect(text).not.toContain(id)
  await until(isSent)
  await anHourPasses()
  await until(async () => (await waiting()) === undefined)
  expect(server.mails).toHaveLength(2)
})

test('a mail whose server never comes to an end is given up', async () => {
  server.answer = 'endless'
  const mail = { id: 'x', to: ['ada@example.com'], subject: 'x', text: 'x' }
  await expect(sendMail(bed.context.config.smtp!, mail, 300)).rejects.toThrow()
})

test('a request that was in flight when its endpoint was switched off does not end the failure by succeeding', async () => {
  const { endpoints } = bed.context.store
  await becomes('notify')
  await becomes('switch_off')
  await endpoints.recordEndpointHealth({ id, health: { kind: 'answers', event: null } })
  const endpoint = await endpoints.getEndpoint(id)
  expect(endpoint).toMatchObject({ active: false, failingSince: 1_790_000_000_000 })
  lookForMails()
  await until(() => server.mails.length === 1)
})

test('a probe of the mail server signs in, and reports the code for a wrong password', async () => {
  const { smtp } = bed.context.config
  await probeSmtp(smtp!)
  const wrong = await probeSmtp({ ...smtp!, password: 'wrong' }).catch(smtpFailure)
  expect(wrong).toBe('EAUTH 535')
  expect(server.mails).toEqual([])
})

test('an invalid setting of the mail server stops the start, and the error does not show its password', () => {
  const read =
    (url: string, from = 'a@example.com') =>
    () =>
      readConfig({ POSTERN_SMTP_URL: url, POSTERN_SMTP_FROM: from })
  for (const url of ['https://u:hidden@mail.example.com', 'mail.example.com', 'smtp://u:hidden@mail.example.com/?x=1'])
    expect(read(url)).toThrow(/^POSTERN_SMTP_URL must be an address such as (?!.*hidden)/)
  expect(read('smtps://u:hidden%@mail.example.com')).toThrow(/^POSTERN_SMTP_URL has a % (?!.*hidden).*%25\.$/)
  expect(read('smtp://mail.example.com', 'nobody')).toThrow(/^POSTERN_SMTP_FROM is "nobody"/)
  expect(read('smtp://mail.example.com', '')).toThrow(/^POSTERN_SMTP_FROM must be set too/)
  expect(read('smtps://u%40x:p%3A@mail.example.com')().smtp).toEqual({
    host: 'mail.example.com',
    port: 465,
    isTls: true,
    requiresTls: false,
    user: 'u@x',
    password: 'p:',
    from: 'a@example.com',
  })
})
