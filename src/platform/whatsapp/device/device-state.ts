import type { AuthenticationCreds } from 'baileys'
import type { DeviceStorage } from '../../platform.ts'
import { type AuthState, createKeyStore } from './auth-state.ts'
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts'
import { createJournal, type Journal } from './journal.ts'
import { createMessageTries, type MessageTries } from '../received/message-tries.ts'
import { decodeCreds, encodeCreds } from './key-codec.ts'

/** What a device knows and has not yet written down. It outlives connections, until a commit fails. */
export interface DeviceState {
  auth: AuthState
  journal: Journal
  recent: BoundedCache<true>
  tries: MessageTries
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
  const journal = createJournal({
    commit: change => storage.commit(change),
    readCreds: () => encodeCreds(creds),
    onCommitted: hooks.onCommitted,
    onFailure: hooks.onFailure,
  })
  const keys = createKeyStore(storage, journal)
  const tries = createMessageTries(await storage.readTries(), storage)
  return { auth: { creds, keys }, journal, recent: createBoundedCache(RECENT_MESSAGES), tries }
}
