import type { Platform } from '../../platform/platform.ts'
import type { Semaphore } from '../../semaphore.ts'
import type { Store } from '../../store/store.ts'
import type { HostIdentity } from '../../store/units/hosting/hosting.ts'
import type { UnhostedInbox } from '../../store/units/inbox/unhosted-inbox.ts'
import { SealedDeviceStorage } from './sealed-device-storage.ts'
import { Forwarder } from './forwarder.ts'
import { Hold } from '../hold.ts'
import { Inbox } from './inbox.ts'
import type { HostParts } from '../parts.ts'
import type { Tenure } from '../tenure.ts'

const AT_ONCE = 8
const LOOK_MS = 200

interface UnhostedParts extends Omit<HostParts, 'store'> {
  store: Pick<Store, 'commands' | 'inbox' | 'leases' | 'tracing'>
  platform: Platform
  identity: HostIdentity
  suspects: Semaphore
}

/**
 * Tells of what devices received before they were logged out, where their host ended before it had told all of it.
 * Nobody hosts those any more, so any host of the network does it, without a link.
 */
export async function forwardUnhosted(parts: UnhostedParts, tenure: Tenure, signal: AbortSignal): Promise<void> {
  const { store, identity } = parts
  if (signal.aborted || !(await store.inbox.hasUnhostedInbox(identity))) return
  const taken = await store.inbox.takeUnhostedInboxes({ ...identity, limit: AT_ONCE })
  await Promise.all(
    taken.map(async unhosted => {
      const hold = new Hold(parts, unhosted.lease, tenure)
      try {
        await forwardAll(parts, hold, unhosted, signal)
      } finally {
        hold.end()
        await store.leases.releaseLeases([hold.lease])
      }
    }),
  )
}

async function forwardAll(
  parts: UnhostedParts,
  hold: Hold,
  { accountId, device }: UnhostedInbox,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = hold
  parts.log.info({ session: sessionId }, 'inbox.unhosted')
  const inbox = new Inbox(parts, hold)
  const interpreter = parts.platform.readOffline({ sessionId, device }, new SealedDeviceStorage(parts, hold, inbox))
  const forwarder = new Forwarder({ ...parts, hold, inbox, interpreter, accountId: () => accountId })
  try {
    await inbox.open()
    forwarder.start()
    while (!signal.aborted && hold.lasts() && !(await forwarder.drained(LOOK_MS)));
  } finally {
    await forwarder.stop()
  }
}
