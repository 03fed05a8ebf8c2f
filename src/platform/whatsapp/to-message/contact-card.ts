import type { proto } from 'baileys'

export function contactsMessage(contacts: ReadonlyArray<{ name: string; phone: string }>): proto.IMessage {
  const cards = contacts.map(contact => ({ displayName: contact.name, vcard: vcard(contact) }))
  const [only] = cards
  if (cards.length === 1 && only) return { contactMessage: only }
  return { contactsArrayMessage: { displayName: `${cards.length} contacts`, contacts: cards } }
}

function vcard({ name, phone }: { name: string; phone: string }): string {
  const digits = phone.replace(/\D/g, '')
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${escaped(name)}`,
    `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`,
    'END:VCARD',
  ].join('\n')
}

const escaped = (text: string): string => text.replace(/([\\,;])/g, '\\$1').replace(/\r?\n/g, '\\n')
