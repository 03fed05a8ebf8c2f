import type { Simulator } from '#simulator'
import type { ChannelHandle } from '#simulator/handles'
import { isGroupJid } from '#simulator/jid'
import type { Phone } from '#simulator/phone/phone'
import { Refused } from '#simulator/refused'
import { BOUNDS } from '../domain/bounds.ts'
import { HIDDEN_PARTS } from '../domain/contact.ts'
import type { SandboxAction } from '../domain/sandbox.ts'
import type { Sandbox } from './sandbox.ts'

const DROP_SECONDS = 1
const SLOW_SECONDS = 5
const REJECTED_CODE = 479
const CHANNEL_OWNER = '15550000001'

type Outcome = Record<string, unknown>

/** Actions that send the number something, which may have to wait for it. */
const ARRIVING: ReadonlySet<SandboxAction['action']> = new Set([
  'call',
  'vote',
  'newsletter_post',
  'new_phone',
  'profile',
  'order',
])

/** Acts as a contact, as the owner of the number's phone, or as the network. */
export async function act(sandbox: Sandbox, number: string, action: SandboxAction): Promise<Outcome> {
  const { simulator } = sandbox
  if (ARRIVING.has(action.action)) sandbox.requireRoom(number)
  switch (action.action) {
    case 'drop':
      simulator.faults.cut(number, (action.seconds ?? DROP_SECONDS) * 1000)
      return {}
    case 'log_out':
      simulator.faults.logOut(number)
      await simulator.saved()
      return {}
    case 'outdate':
      simulator.faults.outdate(number)
      return {}
    case 'fail_next':
      failNext(simulator, number, action)
      return {}
    case 'newsletter_post':
      return await post(simulator, number, action)
    default:
      return await actAsContact(sandbox, number, { ...action, action: action.action })
  }
}

type ContactAction = SandboxAction & {
  action: Exclude<SandboxAction['action'], 'drop' | 'log_out' | 'fail_next' | 'outdate' | 'newsletter_post'>
}

async function actAsContact(sandbox: Sandbox, number: string, action: ContactAction): Promise<Outcome> {
  const phone = sandbox.contact(action.from)
  const chat = () => sandbox.targetOf(number, phone, action.group === undefined ? {} : { group: action.group })
  switch (action.action) {
    case 'read':
      read(phone, number, chat, action)
      return {}
    case 'read_receipts':
      phone.readFrom(number, action.enabled ?? true)
      return {}
    case 'play':
      phone.play(heldFrom(phone, number, action.message_id))
      return {}
    case 'typing':
      await untilInUse(sandbox.simulator, number)
      phone.typing(chat(), typingState(action))
      return {}
    case 'presence': {
      const { online = true, last_seen_unix: lastSeen } = action
      phone.presence({ online, ...(lastSeen === undefined ? {} : { lastSeen: lastSeen ?? 'hidden' }) }, number)
      return {}
    }
    case 'call':
      return await call(phone, number, action)
    case 'vote': {
      if (action.message_id === undefined) throw new Refused('message_id is required: the poll')
      const { id } = await phone.vote(chat(), action.message_id, action.options ?? [])
      return { message_id: id }
    }
    case 'profile':
      changeProfile(phone, number, action)
      return {}
    case 'order':
      return await order(sandbox, phone, number)
    case 'new_phone':
      phone.change()
      return {}
    case 'lose_device':
      loseDevice(phone)
      return {}
    default: {
      const never: never = action.action
      return never
    }
  }
}

/** As this number sees it: other accounts may write to the same contact. */
function changeProfile(phone: Phone, number: string, { about, picture, hidden, name }: SandboxAction): void {
  if (hidden) for (const part of HIDDEN_PARTS) phone.hide(part, hidden.includes(part), number)
  if (name !== undefined) phone.nameTo(number, name)
  if (about !== undefined) phone.changeAbout(about, number)
  if (picture !== undefined) phone.changePicture(picture === '' ? undefined : Buffer.from(picture, 'base64'), number)
}

/** The contact orders one of everything that the number sells. */
async function order({ simulator }: Sandbox, phone: Phone, number: string): Promise<Outcome> {
  const wanted = simulator
    .phone(number)
    .products()
    .map(({ id }) => [id, 1] as const)
  if (wanted.length === 0)
    throw new Refused('the number has no catalogue: that of a number ending in 0480 has products')
  const { id, orderId, token } = await phone.order(number, Object.fromEntries(wanted))
  return { message_id: id, order_id: orderId, token }
}

const IN_USE_MS = 1_000

/** A number goes online a moment after a program begins to listen: what a contact types before that is not shown. */
async function untilInUse(simulator: Simulator, number: string): Promise<void> {
  await simulator.until(() => simulator.phone(number).isInUse, IN_USE_MS).catch(() => {})
}

/** Unlinks the first device of the contact's phone: for a sender the others are no different. */
function loseDevice(phone: Phone): void {
  const [device] = phone.companions()
  if (device === undefined) throw new Refused('from: nothing is linked to the phone of this contact')
  phone.loseDevice(device)
}

function typingState({ typing, media }: SandboxAction): 'paused' | 'recording' | 'composing' {
  if (typing === false) return 'paused'
  return media === 'audio' ? 'recording' : 'composing'
}

/** Reads one message of the number, or all of them in the chat; never messages of other numbers to the same contact. */
function read(phone: Phone, number: string, chat: () => string, action: SandboxAction): void {
  if (action.message_id !== undefined) return phone.read(heldFrom(phone, number, action.message_id))
  const target = chat()
  if (!isGroupJid(target)) return phone.read(number)
  for (const held of phone.inbox(target)) if (held.from === number) phone.read(held.id)
}

function heldFrom(phone: Phone, number: string, id: string | undefined): string {
  if (id === undefined) throw new Refused('message_id is required')
  const held = phone.inbox().find(message => message.id === id && message.from === number)
  if (held === undefined) throw new Refused('message_id: the contact holds no such message of this number')
  return id
}

async function call(phone: Phone, number: string, action: SandboxAction): Promise<Outcome> {
  if (action.event !== 'terminate') {
    const { id } = await phone.call(number, { video: action.video ?? false })
    return { call_id: id }
  }
  const ringing = phone.calls().find(record => record.id === action.call_id && record.to === number)
  if (ringing === undefined) throw new Refused('call_id: the contact makes no such call to this number')
  await phone.hangUp(ringing.id, action.reason === undefined ? {} : { reason: action.reason })
  return { call_id: ringing.id }
}

async function post(simulator: Simulator, number: string, action: SandboxAction): Promise<Outcome> {
  const channel = channelOf(simulator, number, action)
  if (action.text === undefined) return { newsletter_jid: channel.jid }
  const { id, serverId } = await channel.post({ type: 'text', text: action.text })
  return { newsletter_jid: channel.jid, message_id: id, server_id: serverId }
}

/** A channel that the number follows, or with `managed` one that it manages; created when it is first named. */
function channelOf(simulator: Simulator, number: string, action: SandboxAction): ChannelHandle {
  const { newsletter, name = 'Sandbox news', managed = false } = action
  const own = simulator.channels().filter(channel => channel.owner === number || channel.followers().includes(number))
  if (newsletter !== undefined) {
    const known = own.find(channel => channel.jid === newsletter)
    if (known === undefined) throw new Refused('newsletter: the number neither follows nor manages such a channel')
    return known
  }
  const named = own.find(channel => channel.name === name && (channel.owner === number) === managed)
  if (named !== undefined) return named
  if (own.length >= BOUNDS.sandboxChannels)
    throw new Refused(`name: a sandbox number has at most ${BOUNDS.sandboxChannels} channels; name one of them`)
  return simulator.channel({ name, owner: managed ? number : CHANNEL_OWNER, followers: managed ? [] : [number] })
}

function failNext({ faults }: Simulator, number: string, action: SandboxAction): void {
  const times = action.times ?? 1
  if (faults.plannedAcks(number) + times > BOUNDS.sandboxFaults)
    throw new Refused(`times: at most ${BOUNDS.sandboxFaults} messages of a number may be planned to fail`)
  switch (action.ack ?? 'withheld') {
    case 'withheld':
      return faults.withholdAcks(number, times)
    case 'rejected':
      return faults.rejectMessages(number, action.code ?? REJECTED_CODE, times)
    case 'slow':
      return faults.delayAcks(number, (action.seconds ?? SLOW_SECONDS) * 1000, times)
  }
}
