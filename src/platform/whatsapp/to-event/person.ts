import type { PersonEvent } from '../../../domain/event.ts'
import type { Interpretation } from '../../platform.ts'
import { readLearned } from '../remembered/pairs.ts'
import type { SessionContext } from '../session-context.ts'

/** People are events only for endpoints that include them. */
export async function interpretLearned(
  { storage, sessionId }: Pick<SessionContext, 'storage' | 'sessionId'>,
  body: Uint8Array,
): Promise<Interpretation> {
  if (!(await storage.isIncluded('person'))) return { kind: 'none', reason: 'person_learned' }
  const events = readLearned(body).map(
    ({ lid, phone, source, atMs, previousPhone, previousLid }): PersonEvent => ({
      kind: 'person',
      session_id: sessionId,
      lid,
      phone,
      source,
      ...(previousPhone !== undefined && { previous_phone: previousPhone }),
      ...(previousLid !== undefined && { previous_lid: previousLid }),
      timestamp_unix: Math.floor(atMs / 1000),
    }),
  )
  return { kind: 'events', events }
}
