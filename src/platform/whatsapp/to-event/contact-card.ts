import type { proto } from 'baileys'
import type { ContactCard } from '../../../domain/message-context.ts'

/** The sender may write a card of any size. */
const MAX_CARD_CHARS = 65_536
const MAX_PHONES = 20

const TEL = /^(?:[\w-]+\.)?TEL[^:\r\n]*:(?:tel:)?(.*)$/gim
const NAME = /^FN[^:\r\n]*:(.*)$/im

/** The name and the phone numbers of a shared contact. */
export function readCard({ displayName, vcard }: proto.Message.IContactMessage): ContactCard {
  // A long line continues on the next one after a space.
  const card = (vcard ?? '').slice(0, MAX_CARD_CHARS).replace(/\r?\n[ \t]/g, '')
  const phones = [...card.matchAll(TEL)].map(([, number = '']) => number.trim()).filter(number => number !== '')
  return { name: displayName || NAME.exec(card)?.[1]?.trim() || '', phones: phones.slice(0, MAX_PHONES) }
}
