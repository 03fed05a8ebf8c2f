import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followUp } from '../../src/actions/follow-up.ts'
import { type PaceBody, parsePace } from '../../src/domain/parse-pace.ts'
import { incomingText } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting, type SentHandle } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ADA = '15550001111@s.whatsapp.net'
const BOB = '15550002222@s.whatsapp.net'
const EVE = '15550003333@s.whatsapp.net'

/** Hours in UTC that began an hour ago, or begin in ten hours. */
function hoursFromNow(hours: number) {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
  return { from: at(hours * HOUR_MS), to: at((hours + 3) * HOUR_MS), time_zone: 'UTC' }
}
const QUIET_NOW = hoursFromNow(-1)
const QUIET_LATER = hoursFromNow(10)

describe.each(ONE_STORE)('A number with a pace on %s', kind => {
  let bed: HostingBed
  let worker: ReturnType<HostingBed['startWorker']>
  beforeAll(async () => {
    bed = await openHosting(kind)
    worker = bed.startWorker()
  })
  afterAll(() => bed.close())

  const change = (number: HostedNumber, pace: PaceBody | null) =>
    bed.store.sessions.updateSession({
      id: number.sessionId,
      accountId: number.accountId,
      pace: pace === null ? null : parsePace(pace),
    })

  /** A connected number whose host knows its pace. */
  async function paced(pace: PaceBody): Promise<HostedNumber> {
    const number = await bed.addNumber()
    await change(number, pace)
    await bed.connected(number)
    return number
  }

  const sent = (number: HostedNumber): string[] =>
    bed.network.frames.filter(({ sessionId }) => sessionId === number.sessionId).map(({ text }) => text)
  const isSent =
    (...texts: string[]) =>
    (number: HostedNumber) =>
      until(() => texts.every(text => sent(number).includes(text)))
  const holdOf = async ({ messageId }: SentHandle) => (await bed.store.commands.readHolds([messageId]))[0] ?? null
  const isHeld = (handle: SentHandle, because: string) => until(async () => (await holdOf(handle))?.because === because)

  async function write(number: HostedNumber, from: string): Promise<void> {
    const before = (await bed.events(number)).length
    await bed.network.receive(number.sessionId, incomingText(number.sessionId, from.split('@')[0]!, 'hello'))
    await until(async () => (await bed.events(number)).length > before)
  }

  /** Moves all that the store knows of the number's pace into the past. */
  async function letPass(number: HostedNumber, ms: number): Promise<void> {
    const own = `where session_id = '${number.sessionId}'`
    await bed.query(`update first_messages set at = at - ${ms} ${own}`)
    await bed.query(`update commands set due_at = due_at - ${ms}, held_from = held_from - ${ms} ${own}`)
  }

  it('holds messages in quiet hours until they end, and tells why', async () => {
    const number = await paced({ quiet: QUIET_NOW })
    const handle = await bed.send(number, ADA, 'late')
    await isHeld(handle, 'quiet_hours')
    const { untilMs } = (await holdOf(handle))!
    expect(new Date(untilMs).toISOString().slice(11, 19)).toBe(`${QUIET_NOW.to}:00`)
    expect(await bed.stateOf(handle)).toBe('queued')
    // The worker counts after its commit.
    const isCounted = /postern_messages_held_total\{because="quiet_hours"\} [1-9]/
    await until(async () => isCounted.test(await bed.context.metrics.registry.metrics()))
    await change(number, { quiet: QUIET_LATER })
    await isSent('late')(number)
    expect(await holdOf(handle)).toBeNull()
  })

  it('sends answers in quiet hours to people who have written within 24 hours', async () => {
    const number = await paced({ quiet: QUIET_NOW, new_per_day: 1 })
    await write(number, ADA)
    const cold = await bed.send(number, BOB, 'cold')
    await bed.send(number, ADA, 'answer')
    await isSent('answer')(number)
    await isHeld(cold, 'quiet_hours')
    await bed.query(
      `update seen_messages set expires_at = expires_at - ${DAY_MS + HOUR_MS} where session_id = '${number.sessionId}'`,
    )
    const tooLate = await bed.send(number, ADA, 'the next day')
    await isHeld(tooLate, 'quiet_hours')
  })

  it('sends held messages in their order as soon as the person writes', async () => {
    const number = await paced({ quiet: QUIET_NOW })
    const handles = [await bed.send(number, ADA, 'one'), await bed.send(number, ADA, 'two')]
    for (const handle of handles) await isHeld(handle, 'quiet_hours')
    const third = await bed.send(number, ADA, 'three')
    await isHeld(third, 'quiet_hours')
    await write(number, ADA)
    await bed.send(number, ADA, 'four')
    await isSent('four')(number)
    expect(sent(number)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('holds messages to new contacts beyond the budget, in their order, and lets known contacts pass', async () => {
    const number = await paced({ new_per_day: 1 })
    await bed.send(number, ADA, 'first contact')
    await isSent('first contact')(number)
    const [one, two] = [await bed.send(number, BOB, 'one'), await bed.send(number, BOB, 'two')]
    const other = await bed.send(number, EVE, 'other')
    for (const handle of [one, two, other]) await isHeld(handle, 'new_contacts')
    await bed.send(number, ADA, 'again')
    await bed.send(number, '120363000000000000@g.us', 'group')
    await isSent('again', 'group')(number)
    expect(sent(number)).not.toContain('one')
    await letPass(number, DAY_MS)
    await isSent('one', 'two')(number)
    await isHeld(other, 'new_contacts')
    expect(sent(number).slice(-2)).toEqual(['one', 'two'])
  })

  it('grows its budget of new contacts with the days since it was linked', async () => {
    const number = await paced({ new_per_day: 4, ramp_days: 4 })
    await bed.send(number, ADA, 'day one')
    await isSent('day one')(number)
    const second = await bed.send(number, BOB, 'day two')
    await isHeld(second, 'new_contacts')
    await bed.query(`update sessions set created_at = created_at - ${DAY_MS} where id = '${number.sessionId}'`)
    await change(number, { new_per_day: 4, ramp_days: 4, max_ms: 1 })
    await isSent('day two')(number)
  })

  it('a held message can be cancelled and is never sent', async () => {
    const number = await paced({ quiet: QUIET_NOW })
    const handle = await bed.send(number, ADA, 'cancelled')
    await isHeld(handle, 'quiet_hours')
    expect(await bed.store.messages.cancelMessage(handle.messageId)).toBe('cancelled')
    await change(number, null)
    await bed.send(number, ADA, 'afterwards')
    await isSent('afterwards')(number)
    expect(sent(number)).toEqual(['afterwards'])
  })

  it('an end of the pace sends all that it held, in order', async () => {
    const number = await paced({ quiet: QUIET_NOW })
    const handles: SentHandle[] = []
    for (const text of ['1', '2', '3']) handles.push(await bed.send(number, ADA, text))
    for (const handle of handles) await isHeld(handle, 'quiet_hours')
    await change(number, null)
    await isSent('1', '2', '3')(number)
    expect(sent(number)).toEqual(['1', '2', '3'])
  })

  it('shows that a message waits for the pause, which a restart does not shorten', async () => {
    const number = await paced({ min_ms: 60_000, max_ms: 90_000 })
    await bed.send(number, ADA, 'first')
    await isSent('first')(number)
    const next = await bed.send(number, BOB, 'next')
    await isHeld(next, 'pace')
    const { untilMs } = (await holdOf(next))!
    await worker.stop()
    worker = bed.startWorker()
    await bed.connected(number)
    // A number without a pace shows that the new worker sends.
    const other = await bed.addNumber()
    await bed.send(other, ADA, 'at once')
    await isSent('at once')(other)
    expect(await holdOf(next)).toEqual({ id: next.messageId, because: 'pace', untilMs })
    expect(sent(number)).toEqual(['first'])
    await until(() => {
      bed.clock.pass(5_000)
      return sent(number).length > 1
    })
  })

  it('sends a message of high priority before waiting messages to other chats, and after earlier ones to its own', async () => {
    const number = await paced({ min_ms: 60_000 })
    await bed.send(number, ADA, 'first')
    await isSent('first')(number)
    for (let i = 0; i < 20; i++) await bed.send(number, `1555222${1000 + i}`, `waiting ${i}`)
    await bed.send(number, EVE, 'before')
    await bed.send(number, EVE, 'urgent', { isUrgent: true })
    for (let count = 2; !sent(number).includes('urgent'); count++) {
      bed.clock.pass(60_000)
      await until(() => sent(number).length >= count)
    }
    // The worker may have begun another one before it read this one.
    expect(sent(number).length).toBeLessThan(12)
    expect(sent(number).filter(text => !text.startsWith('waiting'))).toEqual(['first', 'before', 'urgent'])
    await change(number, null)
    await until(() => sent(number).length === 23)
  })

  it('shows a typing sign for typing_ms before the message is sent, and none if the number is hidden', async () => {
    const number = await bed.addNumber()
    await bed.connected(number)
    const executed = () =>
      bed.network.executed
        .filter(({ sessionId }) => sessionId === number.sessionId)
        .map(({ command }) => (command.kind === 'typing' ? `typing ${command.typing}` : command.kind))
    await bed.send(number, ADA, 'typed', { typingMs: 25_000 })
    await until(() => executed().length > 0)
    expect(sent(number)).toEqual([])
    await until(() => {
      bed.clock.pass(1_000)
      return sent(number).length > 0
    })
    expect(executed()).toEqual(['typing true', 'typing true', 'typing true', 'typing false', 'send'])
    await bed.store.sessions.updateSession({ id: number.sessionId, accountId: number.accountId, appear: 'offline' })
    await until(async () => {
      await bed.send(number, ADA, 'hidden', { typingMs: 1 })
      await until(() => executed().at(-1) === 'send')
      return executed().at(-2) === 'send'
    })
  })

  it('edits and revokes wait behind the held messages of their chat', async () => {
    const number = await paced({ quiet: QUIET_NOW })
    const handle = await bed.send(number, ADA, 'original')
    await isHeld(handle, 'quiet_hours')
    const message = (await bed.store.messages.getMessage(handle.messageId))!
    await followUp(bed.context, message, { kind: 'edit', text: 'edited' })
    await until(
      async () =>
        (
          await bed.query(
            `select 1 from commands where session_id = '${number.sessionId}' and held_because is not null`,
          )
        ).length === 2,
    )
    await change(number, null)
    await isSent('original', 'edited')(number)
    expect(sent(number)).toEqual(['original', 'edited'])
  })
})
