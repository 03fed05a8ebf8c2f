import type { AuthenticationCreds } from 'baileys'
import { RecentMap } from '../../../domain/recent-map.ts'
import type { DeviceStorage } from '../../platform.ts'
import { AwaitedMessages } from '../received/awaited-messages.ts'
import { MessageTries } from '../received/message-tries.ts'
import { DeviceChanges } from './device-changes.ts'
import { decodeCreds, encodeCreds } from './key-codec.ts'
import { type AuthState, createKeyStore } from './key-store.ts'

/** What a device knows and has not yet written down. It outlives connections, until a commit fails. */
export interface DeviceState {
  auth: AuthState
  changes: DeviceChanges
  /** Keys of messages that are stored, or about to be. */
  recent: RecentMap<true>
  tries: MessageTries
  awaited: AwaitedMessages
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
  const stored = await storage.readCreds()
  if (!stored) throw new MissingCredentials('this device has no credentials')
  const creds: AuthenticationCreds = decodeCreds(stored)
  const changes = new DeviceChanges({
    commit: change => storage.commit(change),
    readCreds: () => encodeCreds(creds),
    onCommitted: hooks.onCommitted,
    onFailure: hooks.onFailure,
  })
  const keys = createKeyStore(storage, changes)
  const tries = new MessageTries(await storage.readTries(), storage)
  return {
    auth: { creds, keys },
    changes,
    recent: new RecentMap(RECENT_MESSAGES),
    tries,
    awaited: new AwaitedMessages(),
  }
}
