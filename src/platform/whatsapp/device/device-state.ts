import type { AuthenticationCreds } from 'baileys'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { DeviceStorage } from '../../platform.ts'
import { AwaitedMessages } from '../received/awaited-messages.ts'
import { MessageTries } from '../received/message-tries.ts'
import { ChangedPeople } from './changed-people.ts'
import { DeviceChanges } from './device-changes.ts'
import { decodeCreds, encodeCreds } from './key-codec.ts'
import { type AuthState, createKeyStore } from './key-store.ts'

/** The state of a device in memory. It outlives connections, until a commit fails. */
export interface DeviceState {
  auth: AuthState
  changes: DeviceChanges
  /** Keys of messages that are stored, or about to be. */
  recent: ExpiringMap<true>
  tries: MessageTries
  awaited: AwaitedMessages
  changed: ChangedPeople
}

export interface DeviceStateHooks {
  onCommitted(): void
  onFailure(error: unknown): void
}

const RECENT_MESSAGES = 1024

export class MissingCredentials extends Error {
  override name = 'MissingCredentials'
}

export async function loadDeviceState(storage: DeviceStorage, hooks: DeviceStateHooks): Promise<DeviceState> {
  const readCreds = await storage.readCreds()
  if (!readCreds) throw new MissingCredentials('this device has no credentials')
  const creds: AuthenticationCreds = decodeCreds(readCreds)
  // Otherwise the library would fetch all shared settings at the first login; SharedSettings does that.
  creds.accountSyncCounter ||= 1
  const changes = new DeviceChanges({
    commit: change => storage.commit(change),
    readCreds: () => encodeCreds(creds),
    onCommitted: hooks.onCommitted,
    onFailure: hooks.onFailure,
  })
  const keys = createKeyStore(storage, changes)
  const [stored, changed] = await Promise.all([storage.readTries(), ChangedPeople.load(keys)])
  return {
    auth: { creds, keys },
    changes,
    recent: new ExpiringMap(RECENT_MESSAGES),
    tries: new MessageTries(stored, storage),
    awaited: new AwaitedMessages(),
    changed,
  }
}
