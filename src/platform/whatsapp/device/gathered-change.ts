import type { DeviceChange, InboxItem, KeyChange, SentCopy } from '../../platform.ts'
import { keyName } from './uncommitted-keys.ts'

/** One thing that happened. `creds` says that the credentials changed; they are read when it is committed. */
export interface GatheredChange {
  creds?: true
  keys?: KeyChange[]
  inbox?: InboxItem[]
  sent?: SentCopy[]
  /** Keys of messages whose tries need no counting any more. */
  finished?: string[]
}

/** Several as one; of a key that changed more than once the last counts. */
export function mergeChanges(changes: readonly GatheredChange[], readCreds: () => Uint8Array): DeviceChange {
  const keys = new Map<string, KeyChange>()
  const inbox: InboxItem[] = []
  const sent: SentCopy[] = []
  const finished: string[] = []
  let creds = false
  for (const change of changes) {
    for (const key of change.keys ?? []) keys.set(keyName(key.category, key.id), key)
    if (change.inbox) inbox.push(...change.inbox)
    if (change.sent) sent.push(...change.sent)
    if (change.finished) finished.push(...change.finished)
    creds ||= change.creds === true
  }
  return {
    ...(creds && { creds: readCreds() }),
    ...(keys.size > 0 && { keys: [...keys.values()] }),
    ...(inbox.length > 0 && { inbox }),
    ...(sent.length > 0 && { sent }),
    ...(finished.length > 0 && { finished }),
  }
}
