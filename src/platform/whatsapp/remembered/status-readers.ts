import { jidKind } from '../../../domain/jid.ts'
import type { SessionContext } from '../session-context.ts'

/**
 * The people that this number writes to, from the gateway or its phone, see its status posts; people who only write to
 * it do not.
 */
export async function addReader(
  { lids, readers }: Pick<SessionContext, 'lids' | 'readers'>,
  to: string,
): Promise<void> {
  const kind = jidKind(to)
  if (kind === 'user' || kind === 'lid') await readers.add(await lids.phoneFirst(to))
}
