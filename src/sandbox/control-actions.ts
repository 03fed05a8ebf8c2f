import { BOUNDS } from '../domain/bounds.ts'
import type { SandboxAction } from '../domain/sandbox.ts'
import { contactPhone, requireRoom, targetOf } from './control-incoming.ts'
import type { ChannelHandle } from '@postern/simulator/handles'
import { isGroupJid } from '@postern/simulator/jid'
import type { Phone } from '@postern/simulator/phone/phone'
import { Refused } from '@postern/simulator/refused'
import type { Simulator } from '@postern/simulator'

const DROP_SECONDS = 1
const SLOW_SECONDS = 5
const REJECTED_CODE = 479
const CHANNEL_OWNER = '15550000001'

type Outcome = Record<string, unknown>

/** Does what a contact, the owner of the number's phone, or the network would do. */
export async function act(simulator: Simulator, number: string, action: SandboxAction): Promise<Outcome> {
  const contact = () => contactPhone(simulator, action.from)
  if (['call', 'vote', 'newsletter_post'].includes(action.action)) requireRoom(simulator, number)
  const chat = (phone: Phone) =>
    targetOf(simulator, number, phone, action.group === undefined ? {} : { group: action.group })
  switch (action.action) {
    case 'read':
      read(contact(), number, chat, action)
      return {}
    case 'read_receipts':
      contact().readFrom(number, action.enabled ?? true)
      return {}
    case 'play':
      contact().play(heldFrom(contact(), number, action.message_id))
      return {}
    case 'typing': {
      const phone = contact()
      const state = action.typing === false ? 'paused' : action.media === 'audio' ? 'recording' : 'composing'
      phone.typing(chat(phone), state)
      return {}
    }
    case 'presence': {
      const lastSeen = action.last_seen_unix
      const seen = lastSeen === undefined ? {} : { lastSeen: lastSeen ?? ('hidden' as const) }
      contact().presence({ online: action.online ?? true, ...seen }, number)
      return {}
    }
    case 'call':
      return await call(contact(), number, action)
    case 'vote': {
      const phone = contact()
      if (action.message_id === undefined) throw new Refused('message_id is required: the poll')
      const { id } = await phone.vote(chat(phone), action.message_id, action.options ?? [])
      return { message_id: id }
    }
    case 'newsletter_post':
      return await post(simulator, number, action)
    case 'drop':
      simulator.faults.cut(number, (action.seconds ?? DROP_SECONDS) * 1000)
      return {}
    case 'log_out':
      simulator.faults.logOut(number)
      await simulator.settled()
      return {}
    case 'fail_next':
      failNext(simulator, number, action)
      return {}
    default: {
      const never: never = action.action
      return never
    }
  }
}

/** One message of the number, or all of them in the chat; never what others wrote to the same contact. */
function read(phone: Phone, number: string, chat: (phone: Phone) => string, action: SandboxAction): void {
  if (action.message_id !== undefined) return phone.read(heldFrom(phone, number, action.message_id))
  const target = chat(phone)
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

/** A channel that the number follows, or with `managed` one that it manages; made when it is named for the first time. */
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
