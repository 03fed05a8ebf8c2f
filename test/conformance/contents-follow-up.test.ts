import type { Phone } from '@postern/simulator/phone/phone'
import { normalizeMessageContent } from 'baileys'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { followUp } from '../../src/actions/follow-up.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'

const HOUR_MS = 3_600_000

let stack: Stack
let number: StackNumber
let ana: Phone
/** Ids of messages that a phone could not read. */
const unread: unknown[] = []
const noteUnread = ({ id }: { id?: unknown }, text: string) => {
  if (text === 'phone cannot read message') unread.push(id)
}

beforeAll(async () => {
  stack = await startStack({ logger: { debug: noteUnread, warn: () => {} } })
  number = await stack.link('999420000001')
  ana = stack.simulator.phone('5511912000001')
})
afterAll(() => stack.close())
beforeEach(() => number.forget())

const historyOf = async (messageId: string) =>
  (await stack.bed.store.messages.readMessageStates(messageId)).map(({ state, detail }) => ({ state, detail }))
const changeOf = (id: string) =>
  ana.inbox().find(({ message }) => normalizeMessageContent(message)?.protocolMessage?.key?.id === id)

describe('Edit, revoke, schedule and cancel', () => {
  test('after an edit the phone shows the new text, and the history says edited', async () => {
    const sent = await number.sendAndSettle(ana.jid, 'tpyo')
    await followUp(stack.bed.context, await number.message(sent), { kind: 'edit', text: 'typo' })
    const held = await stack.simulator.until(() => changeOf(sent.platformId))
    expect(normalizeMessageContent(held.message)?.protocolMessage?.editedMessage?.conversation).toBe('typo')
    await number.until(async () => (await historyOf(sent.messageId)).some(({ state }) => state === 'edited'))
  })

  test('after a revoke the phone removes the message, and the history says revoked', async () => {
    const sent = await number.sendAndSettle(ana.jid, 'oops')
    await followUp(stack.bed.context, await number.message(sent), { kind: 'revoke' })
    const held = await stack.simulator.until(() => changeOf(sent.platformId))
    expect(normalizeMessageContent(held.message)?.protocolMessage).toMatchObject({ type: 0 })
    await number.until(async () => (await historyOf(sent.messageId)).some(({ state }) => state === 'revoked'))
  })

  test('an edit that the platform refuses shows the reason in the history, and no event is published', async () => {
    const sent = await number.sendAndSettle(ana.jid, 'stays')
    await number.next('receipt')
    number.forget()
    stack.simulator.faults.rejectMessages(number.jid, 479, 1)
    await followUp(stack.bed.context, await number.message(sent), { kind: 'edit', text: 'changed' })
    const [failure] = await number.until(async () => {
      const failures = (await historyOf(sent.messageId)).filter(({ state }) => state === 'edit_failed')
      return failures.length > 0 ? failures : undefined
    })
    expect(failure?.detail).toMatch(/^SEND_FAILED: .*479/)
    expect(number.events).toEqual([])
  })

  /** Moves the clock past every scheduled time. */
  const timePasses = () => stack.bed.query(`update commands set due_at = due_at - ${HOUR_MS} returning id`)

  test('with send_at nothing leaves before its time, and it is sent then', async () => {
    const to = { accountId: number.accountId, sessionId: number.jid }
    const { platformId } = await stack.bed.send(to, ana.jid, 'later', { sendAt: Date.now() + HOUR_MS })
    await number.sendAndSettle(ana.jid, 'now')
    expect(ana.message(platformId)).toBeUndefined()
    number.forget()
    await timePasses()
    const event = await number.next('status', one => one.messenger_message_id === platformId)
    expect(event).toMatchObject({ status: 'sent' })
    expect(ana.message(platformId)?.id).toBe(platformId)
  })

  test('a cancelled scheduled message never leaves, and publishes no event', async () => {
    const to = { accountId: number.accountId, sessionId: number.jid }
    const sendAt = Date.now() + HOUR_MS
    const { platformId, messageId } = await stack.bed.send(to, ana.jid, 'never', { sendAt })
    expect(await stack.bed.store.messages.cancelMessage(messageId)).toBe('cancelled')
    const after = await stack.bed.send(to, ana.jid, 'after', { sendAt })
    await timePasses()
    await stack.simulator.until(() => ana.message(after.platformId))
    await number.next('status', event => event.message_id === after.messageId)
    expect(ana.message(platformId)).toBeUndefined()
    expect(number.events.some(event => event.kind === 'status' && event.message_id === messageId)).toBe(false)
    expect(await historyOf(messageId)).toEqual([{ state: 'cancelled', detail: null }])
  })

  test('a device that could not read a message gets the same message again', async () => {
    stack.simulator.faults.makeUnreadable(ana.jid, 1)
    const sent = await number.sendAndSettle(ana.jid, 'say that again')
    const held = await stack.simulator.until(() => ana.message(sent.platformId))
    expect(normalizeMessageContent(held.message)?.extendedTextMessage?.text).toBe('say that again')
    expect(unread).toEqual([sent.platformId])
  })
})
