import { jidKind } from '../../../domain/jid.ts'
import type { SessionContext } from '../session-context.ts'

/** Whoever this number writes to, from here or from its phone, sees its status posts; who writes to it does not. */
export async function addReader(
  { lids, readers }: Pick<SessionContext, 'lids' | 'readers'>,
  to: string,
): Promise<void> {
  const kind = jidKind(to)
  if (kind === 'user' || kind === 'lid') await readers.add(await lids.phoneFirst(to))
}
