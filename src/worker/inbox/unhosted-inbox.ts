import type { Platform } from '../../platform/platform.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import type { Store } from '../../store/store.ts'
import type { HostIdentity } from '../../store/hosting/hosting.ts'
import type { UnhostedInbox } from '../../store/inbox/unhosted-inbox.ts'
import { SealedDeviceStorage } from './sealed-device-storage.ts'
import { Forwarder } from './forwarder.ts'
import { HeldLease } from '../hold.ts'
import { Inbox } from './inbox.ts'
import type { HostDeps } from '../deps.ts'
import type { LeaseDeadline } from '../tenure.ts'

const AT_ONCE = 8
const LOOK_MS = 200

interface UnhostedDeps extends Omit<HostDeps, 'store'> {
  store: Pick<Store, 'devices' | 'inbox' | 'leases' | 'messages' | 'traces'>
  platform: Platform
  identity: HostIdentity
  suspects: Semaphore
}

/**
 * Tells of what devices received before they were logged out, where their host ended before it had told all of it.
 * Nobody hosts those any more, so any host of the network does it, without a link.
 */
export async function forwardUnhosted(deps: UnhostedDeps, tenure: LeaseDeadline, signal: AbortSignal): Promise<void> {
  const { store, identity } = deps
  if (signal.aborted || !(await store.inbox.hasUnhostedInbox(identity))) return
  const taken = await store.inbox.takeUnhostedInboxes({ ...identity, limit: AT_ONCE })
  await Promise.all(
    taken.map(async unhosted => {
      const hold = new HeldLease(deps, unhosted.lease, tenure)
      try {
        await forwardAll(deps, hold, unhosted, signal)
      } finally {
        hold.end()
        await store.leases.releaseLeases([hold.lease])
      }
    }),
  )
}

async function forwardAll(
  deps: UnhostedDeps,
  hold: HeldLease,
  { accountId, device }: UnhostedInbox,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = hold
  deps.log.info({ session: sessionId }, 'inbox.unhosted')
  const inbox = new Inbox(deps, hold)
  const interpreter = deps.platform.readOffline({ sessionId, device }, new SealedDeviceStorage(deps, hold, inbox))
  const forwarder = new Forwarder({ ...deps, hold, inbox, interpreter, accountId: () => accountId })
  try {
    await inbox.open()
    forwarder.start()
    while (!signal.aborted && hold.lasts() && !(await forwarder.drained(LOOK_MS)));
  } finally {
    await forwarder.stop()
  }
}
