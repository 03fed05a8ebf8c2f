import { unlessLate } from '../../../within.ts'
import type { AddressedOutcome } from '../../platform.ts'
import type { ExpectedAck } from '../link/acks.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { type Address, refreshLid } from './addressing.ts'

const REFRESH_MS = 3_000

type Outcome = Awaited<ExpectedAck['outcome']>

/** What an ack tells about the name that the message went by. */
export function noteOutcome(context: SessionContext, address: Address, ack: Outcome): void {
  const { form, to, chat, phone } = address
  if (form === undefined) return
  context.callbacks.onAddressed(form, outcomeOf(ack))
  if (typeof ack === 'object' && ack.ok) context.chatNames.set(phone ?? chat, to)
}

/** The hidden identifier is not the person's any more: whoever goes on with it is refused, so the next message waits. */
export async function followMove(
  context: SessionContext,
  connection: Connection,
  { chat, phone }: Address,
): Promise<void> {
  context.chatNames.delete(phone ?? chat)
  if (phone === undefined) return
  const refreshing = refreshLid(context, connection, phone).catch(() => {})
  await unlessLate(context.clock, REFRESH_MS, refreshing)
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
