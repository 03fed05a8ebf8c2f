import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'

/** More people than any group has. */
const MAX_TOLD = 4_096

/** That one person has got, read or played some messages, as a stanza tells it. */
export interface ToldReceipt {
  who: string
  platformIds: string[]
  type: string
  t: string | undefined
}

/** Of chats with many people the platform tells of several together: by message, and in each of who and when. */
export function toldReceipts(stanza: BinaryNode): ToldReceipt[] {
  const { from = '', participant, id = '', t, type = '' } = stanza.attrs
  const together = participant === undefined ? getBinaryNodeChildren(stanza, 'participants') : []
  if (together.length > 0) return together.flatMap(message => ofMessage(stanza, message)).slice(0, MAX_TOLD)
  const more = getBinaryNodeChildren(getBinaryNodeChild(stanza, 'list'), 'item').map(({ attrs }) => attrs.id ?? '')
  return [{ who: participant ?? from, platformIds: [id, ...more].filter(Boolean), type, t }]
}

function ofMessage({ attrs }: BinaryNode, message: BinaryNode): ToldReceipt[] {
  const id = message.attrs.key ?? message.attrs.message_id ?? attrs.id ?? ''
  return getBinaryNodeChildren(message, 'user').map(user => ({
    who: user.attrs.jid ?? '',
    platformIds: id === '' ? [] : [id],
    type: user.attrs.type ?? attrs.type ?? '',
    t: user.attrs.t ?? attrs.t,
  }))
}
