import type { AddressedOutcome } from '../../platform.ts'
import type { ExpectedAck } from '../link/acks.ts'
import type { SessionContext } from '../session-context.ts'
import type { Address } from './addressing.ts'

export type Outcome = Awaited<ExpectedAck['outcome']>

/** What an ack tells about the name that the message went by. */
export function noteOutcome(context: SessionContext, address: Address, ack: Outcome): void {
  const { form, to, chat, phone } = address
  if (form === undefined) return
  context.callbacks.onAddressed(form, outcomeOf(ack))
  if (typeof ack === 'object' && ack.ok) context.chatNames.set(phone ?? chat, to)
}

const REFUSALS: Readonly<Record<number, AddressedOutcome>> = {
  400: 'refused_400',
  463: 'refused_463',
  475: 'refused_475',
}

export function outcomeOf(ack: Outcome): AddressedOutcome {
  if (typeof ack !== 'object') return 'unanswered'
  return ack.ok ? 'sent' : (REFUSALS[ack.code] ?? 'refused_other')
}
