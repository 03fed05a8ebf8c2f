import { STATUS } from '#simulator/jid'
import type { Content } from '#simulator/phone/content'
import type { Phone } from '#simulator/phone/phone'
import type { SendOptions } from '#simulator/phone/writing'
import type { SandboxIncoming } from '../domain/sandbox.ts'
import type { Sandbox } from './sandbox.ts'

/** A kind of content that no app has yet. */
const UNKNOWN_FIELD = 400

/** A contact writes to the number. */
export async function receive(
  sandbox: Sandbox,
  number: string,
  incoming: SandboxIncoming,
): Promise<{ message_id: string }> {
  const phone = sandbox.contact(incoming.from)
  sandbox.requireRoom(number)
  phone.nameTo(number, incoming.from_name ?? '')
  const target = sandbox.targetOf(number, phone, incoming)
  const options: SendOptions = {
    ...(incoming.quoted_message_id === undefined ? {} : { quoted: incoming.quoted_message_id }),
    ...(incoming.view_once === undefined ? {} : { viewOnce: incoming.view_once }),
    ...(incoming.withheld === undefined ? {} : { withheld: incoming.withheld }),
    ...(target === STATUS ? { audience: [number] } : {}),
  }
  const { id } = await send(phone, target, incoming, options)
  return { message_id: id }
}

function send(phone: Phone, target: string, incoming: SandboxIncoming, options: SendOptions): Promise<{ id: string }> {
  switch (incoming.type) {
    case 'reaction':
      return phone.react(target, incoming.reacted_message_id ?? '', incoming.text ?? '', options)
    case 'edit':
      return phone.edit(target, incoming.edited_message_id ?? '', incoming.text ?? '', options)
    case 'revoke':
      return phone.revoke(target, incoming.revoked_message_id ?? '', options)
    default:
      return phone.sendTo(target, contentOf(incoming, phone), options)
  }
}

function contentOf(incoming: SandboxIncoming, phone: Phone): Content {
  const { type, text = '' } = incoming
  switch (type) {
    case 'text':
      return { type, text }
    case 'location':
      return { type, ...(incoming.location ?? { latitude: 0, longitude: 0 }) }
    case 'poll': {
      const { name, options, selectable_count: selectableCount = 1 } = incoming.poll ?? { name: text, options: [] }
      return { type, name, options, selectableCount }
    }
    case 'button_response':
      return {
        type,
        ...(incoming.button_response?.paramsJson && { style: 'native_flow' }),
        ...(incoming.button_response ?? { id: text, text }),
      }
    case 'contact':
      return { type: 'contacts', contacts: [{ name: text || incoming.from_name || phone.digits, phone: phone.digits }] }
    case 'other':
      return { type: 'newer', field: UNKNOWN_FIELD, body: Buffer.from(text) }
    case 'reaction':
    case 'edit':
    case 'revoke':
      throw new Error(`${type} is not a content of its own`)
    default: {
      const { data, ...media } = incoming.media ?? {}
      const file = data === undefined ? {} : { data: Buffer.from(data, 'base64') }
      return { type, ...media, ...file, ...(text === '' ? {} : { caption: text }) }
    }
  }
}
