import { createHash } from 'node:crypto'
import { startOpenSimulator } from '@postern/simulator'
import { answerParent } from './child.mjs'
import { CONTACTS, contactOf } from './contacts.mjs'
import { addressOf, pairNumbers } from './pair-numbers.mjs'

/** The simulated network in a separate process, so that its cost is not measured. It stores nothing. */
let simulator

/** Phones hold all messages of half an hour: those that they forget would count as lost. */
const HELD = { heldMessages: 1_000_000, heldBytes: 1024 ** 3 }

async function open({ ackDelayMs = 0, receipts = true, membersRead = true, maxContacts = 20_000, largeFiles }) {
  const timing = { ackDelayMs, ...(receipts ? {} : { receiptDelayMs: Number.POSITIVE_INFINITY }) }
  simulator = await startOpenSimulator({ timing, ...HELD, maxContacts, largeFiles })
  if (!membersRead) simulator.network.onReceived = forgetMembers
  return addressOf(simulator)
}

function pair(numbers) {
  // The bare engine writes to hidden identifiers, which are known only after their phones exist.
  for (const n of numbers.keys()) for (let i = 0; i < CONTACTS; i++) simulator.phone(contactOf(n, i))
  return pairNumbers(simulator, numbers, 8)
}

/** The messages on the contacts' phones: the text of each, and how often it arrived. */
function read() {
  return simulator.phones().flatMap(phone =>
    phone
      .inbox()
      .filter(held => !held.fromMe)
      .map(held => ({
        text: held.message.conversation ?? held.message.extendedTextMessage?.text,
        copies: held.copies,
      })),
  )
}

/** Each contact replies once: from then on there is a session, and messages need no prekeys. */
async function answer(numbers) {
  for (const [n, number] of numbers.entries())
    for (let i = 0; i < CONTACTS; i++) await write({ from: contactOf(n, i), to: number, text: 'hello' })
}

/** Contacts of each number write to it in turn, this many messages in all. */
async function writeMany({ numbers, count }) {
  for (let i = 0; i < count; i++) {
    const n = i % numbers.length
    await write({ from: contactOf(n, Math.floor(i / numbers.length)), to: numbers[n], text: `incoming ${i}` })
  }
}

/** How many messages of the numbers the contacts' phones have. */
const arrived = () =>
  simulator.phones().reduce((sum, phone) => sum + phone.inbox().filter(({ fromMe }) => !fromMe).length, 0)

async function write({ from, to, text }) {
  return (await simulator.phone(from).sendTo(to, { type: 'text', text })).id
}

/** Otherwise the network would decrypt a group's message for each member, which delays its other answers. */
function forgetMembers({ digits }, { tag, attrs }) {
  const members = tag === 'message' ? simulator.network.groups.get(attrs.to)?.members : undefined
  for (const member of members?.keys() ?? []) if (member !== digits) members.delete(member)
}

/** The messages of a member reach the number in another order: `[2, 0, 1]` delivers the third one first. */
async function writeOutOfOrder({ number, from, group, texts, order }) {
  simulator.faults.receiving.reorder(number, order)
  const ids = []
  for (const text of texts) ids.push(await write({ from, to: group, text }))
  return ids
}

function sendOldChats({ number, ...old }) {
  simulator.phone(number).sendOldChats(old)
}

const MIB = 1_048_576

/** The digest of the last document that a contact got, and that of the file which it should be: only zeros. */
async function openLarge({ contact, bytes }) {
  const phone = simulator.phone(contact)
  const { id } = phone.inbox().at(-1)
  return { opened: await digestOf(phone.openLargeMedia(id)), expected: await digestOf(zeros(bytes)) }
}

async function sendLarge({ contact, to, bytes }) {
  return (await simulator.phone(contact).sendLargeDocument(to, 'large.bin', zeros(bytes))).id
}

async function digestOf(chunks) {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

async function* zeros(bytes) {
  for (let at = 0; at < bytes; at += MIB) yield Buffer.alloc(Math.min(MIB, bytes - at))
}

/** A group of a number with these members. */
function group({ owner, members }) {
  return simulator.group({ subject: 'Bench', owner, members }).jid
}

/** Groups that a number is in, each with one other member. */
function joinGroups({ number, members }) {
  return members.map(owner => group({ owner, members: [number] }))
}

const groupQueries = number => simulator.network.faults.groupQueries.get(number) ?? 0

/** The owner of the number changes a chat on the phone. */
const changeChat = ({ number, chat, change }) => simulator.phone(number).changeChat(chat, change)

const shownChats = ({ number, chats }) => chats.map(chat => simulator.phone(number).chat(chat))

answerParent({
  open,
  pair,
  read,
  answer,
  write,
  writeMany,
  arrived,
  writeOutOfOrder,
  sendOldChats,
  group,
  joinGroups,
  groupQueries,
  changeChat,
  shownChats,
  openLarge,
  sendLarge,
  unread: () => simulator.unread().length,
  unacknowledged: () =>
    simulator.numbers().reduce((sum, { devices }) => sum + devices.reduce((n, each) => n + each.unacknowledged, 0), 0),
})
