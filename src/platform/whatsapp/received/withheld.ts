import { type BinaryNode, getBinaryNodeChild, proto } from 'baileys'
import type { ReceivedContent } from './received-content.ts'

/** Why the platform sends a stub in the place of a message; `plain` ones the own phone has and can be asked for. */
export type Withheld = 'view_once' | 'hosted' | 'bot' | 'plain'

/** `undefined` where the message is there. */
export function withheldOf(stanza: BinaryNode): Withheld | undefined {
  const stub = getBinaryNodeChild(stanza, 'unavailable')
  if (stub === undefined || getBinaryNodeChild(stanza, 'enc') !== undefined) return undefined
  if (getBinaryNodeChild(stanza, 'bot') !== undefined) return 'bot'
  if (stub.attrs.hosted === 'true' || stub.attrs.hosted === '1') return 'hosted'
  return stub.attrs.type === 'view_once' ? 'view_once' : 'plain'
}

const placeholder = {
  placeholderMessage: { type: proto.Message.PlaceholderMessage.PlaceholderType.MASK_LINKED_DEVICES },
}

/** What the platform's own apps show in the place of what only the phone may open. */
export const ON_THE_PHONE_ALONE: ReceivedContent = {
  bytes: proto.Message.encode(placeholder).finish(),
  message: placeholder,
  isBroken: false,
}
