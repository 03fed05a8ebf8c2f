import type { BinaryNode } from '@postern/simulator/wire/node'
import { brokenWord, withDoubled } from './encode-stanza.ts'
import type { Random } from './random.ts'
import { brokenBytes, strangeText } from './strange-values.ts'

/** Attributes of other kinds of stanzas, or with a meaning to one part of the library. */
const FOREIGN = [
  'recipient',
  'participant',
  'participant_pn',
  'participant_lid',
  'sender_pn',
  'sender_lid',
  'peer_recipient_pn',
  'recipient_pn',
  'addressing_mode',
  'category',
  'edit',
  'offline',
  'server_id',
  'retry',
  'type',
  'count',
  't',
  'notify',
  'verified_name',
  'class',
  'error',
  'to',
  'xmlns',
  'constructor',
  '__proto__',
  'hasOwnProperty',
]

/** A value that an answer can repeat: no answer could repeat bytes that are not text. */
const REPEATED = ['id', 'from', 'participant', 'recipient', 'type', 'class', 'to']

function strangeValue(random: Random, name: string): string {
  return !REPEATED.includes(name) && random.chance(0.2) ? brokenWord(brokenBytes(random)) : strangeText(random)
}

/** The same stanza with one or two attributes missing, duplicated, strange, or from another kind of stanza. */
export function withStrangeAttributes(random: Random, stanza: BinaryNode, keep: readonly string[] = []): BinaryNode {
  const attrs: Record<string, string> = { ...stanza.attrs }
  for (let changes = 1 + random.int(2); changes > 0; changes--) {
    const own = Object.keys(attrs).filter(name => !keep.includes(name))
    const name = random.chance(0.6) && own.length > 0 ? random.pick(own) : random.pick(FOREIGN)
    if (keep.includes(name)) continue
    if (random.chance(0.35)) delete attrs[name]
    else {
      const value = strangeValue(random, name)
      Object.defineProperty(attrs, name, { value, enumerable: true, configurable: true, writable: true })
    }
  }
  const changed = { ...stanza, attrs }
  const [first] = Object.keys(attrs)
  return first !== undefined && random.chance(0.1) ? withDoubled(changed, [[first, strangeText(random)]]) : changed
}
