import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { readConfig } from '../../src/config.ts'
import type { EndpointEvent } from '../../src/domain/event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { aboutEndpoint } from '../../src/domain/sealed.ts'
import { mailAboutEndpoints } from '../../src/maintenance/endpoint-mails.ts'
import { probeSmtp, smtpFailure } from '../../src/net/smtp.ts'
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
  id = makeId('ep')
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
})
afterEach(async () => {
  ending.abort()
  await Promise.all(running)
  await bed.close()
  await server.close()
  place.remove()
})

/** Another process that looks for mails. */
const lookForMails = () => void running.push(mailAboutEndpoints(bed.context, ending.signal))

async function becomes(kind: 'notify' | 'switch_off'): Promise<void> {
  const { store } = bed.context
  const event: EndpointEvent = {
    kind: 'endpoint',
    endpoint_id: id,
    event: kind === 'notify' ? 'failing' : 'switched_off',
    failing_since_unix: 1_790_000_000,
    timestamp_unix: 1_790_003_600,
  }
  await store.endpoints.recordEndpointHealth({ id, health: { kind: 'failing', sinceMs: 1_790_000_000_000 } })
  await store.endpoints.recordEndpointHealth({ id, health: { kind, event: makeEvent(bed.context, accountId, event) } })
}

const waiting = async () =>
  (
    await queryPlace<{ mail_due_at: number | null; mail_tries: number; mailed_at: number | null }>(
      place,
      `select mail_due_at, mail_tries, mailed_at from endpoints where id = '${id}'`,
    )
  )[0]!
const isSent = async () => (await waiting()).mail_due_at === null
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
  await until(isSent)
  expect(server.mails.map(({ from, to }) => [from, to])).toEqual(
    [1, 2].map(() => ['postern@example.com', ['ada@example.com', 'ben@example.com']]),
  )
  const [failing, off] = server.mails.map(({ text }) => text)
  expect(failing).toContain(`Subject: The endpoint ${id} is failing`)
  expect(failing).toContain('customer.example.com')
  expect(failing).toContain('https://gateway.example.com/endpoints')
  expect(off).toContain(`Subject: Postern switched off the endpoint ${id}`)
  for (const text of [failing, off]) expect(text).not.toContain('secret')
  expect(new Set(messageIds()).size).toBe(2)
})

test('a mail that the server rejects is sent again later with the same Message-ID', async () => {
  server.answer = '451 later'
  lookForMails()
  await becomes('notify')
  await until(async () => Number((await waiting()).mail_tries) === 1 && server.mails.length === 1)
  await until(async () => Number((await waiting()).mail_due_at) < (await bed.context.store.now()) + 61_000)
  expect((await waiting()).mailed_at).toBeNull()
  server.answer = '250 taken'
  await queryPlace(place, 'update endpoints set mail_due_at = 1 returning id')
  await until(isSent)
  expect((await waiting()).mailed_at).not.toBeNull()
  expect(new Set(messageIds()).size).toBe(1)
})

test('no mail reports an endpoint that answers again, or what happened before mails were set up', async () => {
  await becomes('notify')
  await bed.context.store.endpoints.recordEndpointHealth({ id, health: { kind: 'answers', event: null } })
  expect(await isSent()).toBe(true)
  await becomes('notify')
  await queryPlace(place, 'update endpoints set notified_at = notified_at - 90000000 returning id')
  lookForMails()
  await until(isSent)
  expect([server.mails, (await waiting()).mailed_at]).toEqual([[], null])
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
  expect(read('smtp://mail.example.com', 'nobody')).toThrow(/^POSTERN_SMTP_FROM is "nobody"/)
  expect(read('smtp://mail.example.com', '')).toThrow(/^POSTERN_SMTP_FROM must be set too/)
  expect(read('smtps://u%40x:p%3A@mail.example.com')().smtp).toEqual({
    host: 'mail.example.com',
    port: 465,
    isTls: true,
    user: 'u@x',
    password: 'p:',
    from: 'a@example.com',
  })
})
