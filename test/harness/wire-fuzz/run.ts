import { setTimeout as pause } from 'node:timers/promises'
import type { Simulator } from '@postern/simulator'
import { lidJid, numberJid } from '@postern/simulator/jid'
import { userOf } from '@postern/simulator/people'
import type { Network } from '@postern/simulator/world/network'
import { CONTENT_CLASSES, ENVELOPE_CLASSES, type Hostile, STANZA_CLASSES } from './hostile-messages.ts'
import { OTHER_CLASSES } from './hostile-stanzas.ts'
import { createInnocents, type Innocents } from './innocents.ts'
import { type LinkWatch, watchLinks } from './link-watch.ts'
import { type Random, randomOf } from './random.ts'
import type { Scene } from './scene.ts'
import { settle } from './settle.ts'
import type { EventReceiver } from './event-receiver.ts'
import { deviceOf } from './wire.ts'

export const CLASSES: Readonly<Record<string, Hostile>> = {
  ...CONTENT_CLASSES,
  ...ENVELOPE_CLASSES,
  ...STANZA_CLASSES,
  ...OTHER_CLASSES,
}

export interface FuzzOptions {
  readonly simulator: Simulator & { readonly network: Network }
  /** Digits of the linked numbers. */
  readonly numbers: readonly string[]
  readonly receiver: EventReceiver
  readonly seed: string
  /** The number of hostile messages. */
  readonly messages: number
  /** Only classes whose name contains this. */
  readonly only?: string
  /** The time after which an answer counts as missing. */
  readonly stuckMs?: number
  /** Lets a number write to one of its contacts, so that there are messages to forge receipts of. */
  write(number: string, contact: string): Promise<void>
  /** Subscribes a number to the presence of one of its contacts. */
  follow(number: string, contact: string): Promise<void>
  onProgress?(done: number): Promise<void> | void
}

export interface FuzzReport {
  hostile: Record<string, number>
  innocent: { sent: number; delivered: number; lost: string[]; doubled: string[]; misplaced: string[] }
  /** Each with the stanzas that were sent and not answered. */
  linksDropped: string[]
  /** Stanzas that were never confirmed. */
  unconfirmed: string[]
  /** Events that violate their schema, have no valid signature, or are of no use to a customer. */
  wrong: string[]
}

/** The number of stanzas in flight to a device of a well-behaved server. */
const WINDOW = 40
const HOSTILE_CONTACTS = 5
const INNOCENT_EVERY = 6
const INNOCENT_AHEAD = 600
const STUCK_MS = 60_000
const REPORT_EVERY = 1_000

const hostileContact = (number: string, n: number): string => `1666${number.slice(-5)}${n % HOSTILE_CONTACTS}00`

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { simulator, numbers, receiver, seed, messages, stuckMs = STUCK_MS } = options
  const { network } = simulator
  const innocents = createInnocents(simulator, numbers, n => hostileContact(n, 0))
  const links = watchLinks(numbers.map(number => deviceOf(network, number)))
  for (const number of numbers) {
    await options.write(number, hostileContact(number, 0))
    await options.follow(number, hostileContact(number, 1))
  }
  const hostile: Record<string, number> = {}
  const names = Object.keys(CLASSES).filter(name => name.includes(options.only ?? ''))
  for (let index = 0; index < messages; index++) {
    const random = randomOf(seed, index)
    const name = random.pick(names)
    const number = numbers[index % numbers.length]!
    await roomFor(links, network, number, stuckMs)
    CLASSES[name]!(sceneOf(network, innocents, number, random, { index, name }))
    hostile[name] = (hostile[name] ?? 0) + 1
    if (index % INNOCENT_EVERY === 0) await innocents.write(random)
    while (innocents.written() - receiver.innocent.size > INNOCENT_AHEAD && !links.isStuck(stuckMs)) await pause(10)
    links.look()
    if (index % REPORT_EVERY === 0) await options.onProgress?.(index)
  }
  await settle({ links, missing: () => innocents.missing(receiver), delivered: receiver.total, stuckMs, pause })
  return { hostile, innocent: innocents.account(receiver), ...links.report(), wrong: [...receiver.wrong] }
}

/**
 * Waits until the device has confirmed some of its stanzas; those that it never confirms are recorded and withdrawn.
 */
async function roomFor(links: LinkWatch, network: Network, number: string, stuckMs: number): Promise<void> {
  const device = deviceOf(network, number)
  while (device.outbox.entries.size >= WINDOW) {
    await pause(2)
    links.look()
    links.takeBackOlderThan(device, stuckMs)
  }
}

function sceneOf(
  network: Network,
  innocents: Innocents,
  number: string,
  random: Random,
  { index, name }: { index: number; name: string },
): Scene {
  const contact = hostileContact(number, random.int(HOSTILE_CONTACTS))
  const sender = userOf(network, contact)
  const others = innocents.contactsOf(number).map(digits => userOf(network, digits))
  return {
    random,
    wire: { network, device: deviceOf(network, number), sender, label: `${name} #${index}` },
    id: `3EB0${random.bytes(9).toString('hex').toUpperCase()}`,
    group: innocents.groupOf(number),
    foreignGroup: '120363099999999999@g.us',
    ids: innocents.idsOf(number),
    sentIds: [...sender.inbox.values()].filter(held => held.from === number).map(held => held.id),
    others: others.map(({ digits, lid }) => ({ jid: numberJid(digits), lid: lidJid(lid) })),
  }
}
