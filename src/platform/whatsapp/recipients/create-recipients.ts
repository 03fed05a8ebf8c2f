import type { SignalKeyStore } from 'baileys'
import type { DeviceState } from '../device/device-state.ts'
import type { HeavyWork } from '../engine/heavy-work.ts'
import type { createLibraryCache } from '../engine/library-cache.ts'
import type { Groups } from '../remembered/groups.ts'
import type { Lids } from '../remembered/lids.ts'
import { DeviceLists } from './device-lists.ts'
import { GroupKeys } from './group-keys.ts'
import { Recipients } from './recipients.ts'

export interface RecipientsOf {
  /** The library's cache of the devices of people. */
  cache: ReturnType<typeof createLibraryCache>
  groups: Groups
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  lids: Lids
  keys(): SignalKeyStore
  state(): DeviceState | undefined
}

export function createRecipients({ cache, groups, heavyWork, lids, keys, state }: RecipientsOf): Recipients {
  const groupKeys = new GroupKeys({ keys, lids, changed: () => state()?.changed })
  return new Recipients({ lists: new DeviceLists(cache), groups, groupKeys, heavyWork, lids, state })
}
