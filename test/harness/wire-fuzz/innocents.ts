import type { Simulator } from '@postern/simulator'
import { createMessageId } from '@postern/simulator/phone/message-id'
import type { Random } from './random.ts'
import type { FuzzReport } from './run.ts'
import { INNOCENT, type EventReceiver } from './event-receiver.ts'

/** Well-behaved contacts among the hostile ones. */
export interface Innocents {
  /** Lets the next contact write to the next number. */
  write(random: Random): Promise<void>
  written(): number
  missing(receiver: EventReceiver): number
  contactsOf(number: string): string[]
  groupOf(number: string): string
  /** Ids of recent messages to a number. */
  idsOf(number: string): readonly string[]
  account(receiver: EventReceiver): FuzzReport['innocent']
}

const CONTACTS = 3
const RECENT = 20

const contactOf = (number: string, n: number): string => `1777${number.slice(-5)}${n % CONTACTS}00`

/** Each number has a group with an innocent and a hostile member. */
export function createInnocents(
  simulator: Simulator,
  numbers: readonly string[],
  hostileOf: (number: string) => string,
): Innocents {
  const contactsOf = (number: string) => Array.from({ length: CONTACTS }, (_, n) => contactOf(number, n))
  const groups = new Map(
    numbers.map(number => {
      const members = [number, hostileOf(number), ...contactsOf(number).slice(1)]
      return [number, simulator.group({ subject: 'Group', owner: contactOf(number, 0), members }).jid]
    }),
  )
  const recent = new Map(numbers.map(number => [number, [] as string[]]))
  const expected = new Map<string, string>()
  const missing = (receiver: EventReceiver): number => {
    let count = 0
    for (const text of expected.keys()) if (!receiver.innocent.has(text)) count++
    return count
  }
  return {
    async write(random) {
      const serial = expected.size
      const number = numbers[serial % numbers.length]!
      const contact = contactOf(number, random.int(CONTACTS))
      const group = random.chance(0.3) ? groups.get(number)! : undefined
      const [id, text] = [createMessageId(), `${INNOCENT}${serial}`]
      const chat = group ?? `${contact}@s.whatsapp.net`
      expected.set(text, `${number}@s.whatsapp.net ${chat} ${id}`)
      const ids = recent.get(number)!
      ids.push(id)
      if (ids.length > RECENT) ids.shift()
      const addressing = random.chance(0.5) ? ('pn' as const) : ('lid' as const)
      await simulator.phone(contact).sendTo(group ?? number, { type: 'text', text }, { id, addressing })
    },
    written: () => expected.size,
    missing,
    contactsOf,
    groupOf: number => groups.get(number)!,
    idsOf: number => recent.get(number)!,
    account: receiver => {
      const entries = [...expected]
      const placesOf = (text: string) => receiver.innocent.get(text) ?? []
      return {
        sent: expected.size,
        delivered: receiver.innocent.size,
        lost: entries.filter(([text]) => placesOf(text).length === 0).map(([text]) => text),
        doubled: entries.filter(([text]) => placesOf(text).length > 1).map(([text]) => text),
        misplaced: entries.filter(([text, place]) => placesOf(text).some(one => one !== place)).map(([text]) => text),
      }
    },
  }
}
