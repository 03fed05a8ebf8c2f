import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

/** A link that is open, but on which no message gets through. */

const DIGITS = '999591000031'
const CHATS = 5

let stack: Stack
let number: StackNumber
let made = 0

async function open(ackTimeoutMs: number): Promise<void> {
  // A message is retried only after all others have failed.
  const env = { POSTERN_SEND_RETRY_DELAYS: '3s,3s,3s,3s' }
  stack = await startStack({ historySync: false, env, platform: { ackTimeoutMs } })
  number = await stack.link(DIGITS)
}

const people = () => Array.from({ length: CHATS }, () => stack.simulator.phone(`55119591${String(40_000 + ++made)}`))
const logins = () => stack.simulator.faults.logins(DIGITS)
const reason = async () => (await stack.bed.store.sessions.getSession(number.jid))?.linkReason
const sendToAll = async () => {
  const handles = []
  for (const person of people()) handles.push(await number.send(person.jid, 'hello'))
  return handles
}
const ends = (handles: Awaited<ReturnType<typeof sendToAll>>, status: 'sent' | 'failed') =>
  Promise.all(
    handles.map(({ messageId }) =>
      number.next('status', event => event.message_id === messageId && event.status === status),
    ),
  )

describe('A number whose messages all fail although it is connected', () => {
  // On a slow machine an ack that is sent must not count as withheld.
  beforeAll(() => open(60_000))
  afterAll(() => stack.close())

  test('logs in again once, which helps', async () => {
    const before = logins()
    stack.simulator.faults.rejectMessages(DIGITS, 400, CHATS)
    await ends(await sendToAll(), 'failed')
    await number.until(() => logins() === before + 1)
    await ends(await sendToAll(), 'sent')
    expect(await reason()).toBeNull()
    expect(logins()).toBe(before + 1)
  })

  test('shows a reason if a new login does not help, until a message gets through', async () => {
    const before = logins()
    stack.simulator.faults.rejectMessages(DIGITS, 400, 2 * CHATS)
    await ends(await sendToAll(), 'failed')
    await number.until(() => logins() === before + 1)
    await ends(await sendToAll(), 'failed')
    expect(await number.until(reason)).toMatch(/^the platform refuses or ignores every message/)
    expect((await stack.bed.store.sessions.getSession(number.jid))?.state).toBe('connected')
    await ends(await sendToAll(), 'sent')
    await number.until(async () => (await reason()) === null)
    expect(logins()).toBe(before + 1)
  })
})

describe('A number whose messages are never acknowledged', () => {
  beforeAll(() => open(1_000))
  afterAll(() => stack.close())

  test('logs in again once, and no message is lost', async () => {
    const before = logins()
    stack.simulator.faults.withholdAcks(DIGITS, CHATS)
    await ends(await sendToAll(), 'sent')
    expect(logins()).toBe(before + 1)
  })
})
