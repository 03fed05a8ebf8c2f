import { nowText } from '../clock.ts'
import type { DeviceAddress } from '../jid.ts'
import { userOf } from '../people.ts'
import type { PreKeyBundle } from '../signal/session.ts'
import type { DeviceKeys, LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { announceDevice } from './announce-device.ts'
import { clearOutbox, createOutbox, push } from './outbox.ts'
import { lowPreKeys, stanzaId } from './stanzas.ts'

/** Below this number of prekeys the server notifies the device. */
const LOW_PRE_KEYS = 5

export interface SavedDevice extends DeviceKeys {
  readonly greeted: boolean
  readonly keyIndex: number
}

export function addDevice(user: User, id: number, keyIndex: number, keys: DeviceKeys): LinkedDevice {
  const device: LinkedDevice = {
    digits: user.digits,
    device: id,
    noiseKey: keys.noiseKey,
    identityKey: keys.identityKey,
    keyIndex,
    registrationId: keys.registrationId,
    signedPreKey: keys.signedPreKey,
    preKeys: [],
    greeted: false,
    outbox: createOutbox(),
    connection: undefined,
    online: false,
    available: undefined,
    subscriptions: new Map(),
    liveUpdates: new Map(),
  }
  user.devices.set(id, device)
  return device
}

function deviceKey({ digits, device }: DeviceAddress): string {
  return `device/${digits}/${device}`
}

function preKeysKey({ digits, device }: DeviceAddress): string {
  return `prekeys/${digits}/${device}`
}

export function saveDevice(network: Network, device: LinkedDevice): void {
  network.journal.put(
    deviceKey(device),
    (): SavedDevice => ({
      noiseKey: device.noiseKey,
      identityKey: device.identityKey,
      registrationId: device.registrationId,
      signedPreKey: device.signedPreKey,
      greeted: device.greeted,
      keyIndex: device.keyIndex,
    }),
  )
}

export function savePreKeys(network: Network, device: LinkedDevice): void {
  network.journal.put(preKeysKey(device), () => device.preKeys)
}

/** Unlinks the device, after the phone has removed it or it has logged out. */
export function removeDevice(network: Network, device: LinkedDevice): void {
  const user = userOf(network, device.digits)
  user.devices.delete(device.device)
  network.journal.remove(deviceKey(device))
  network.journal.remove(preKeysKey(device))
  clearOutbox(network, device)
  announceDevice(network, user, { id: device.device, keyIndex: device.keyIndex }, 'remove')
  device.online = false
}

/** The device's bundle with its next one-time prekey, which is consumed. */
export function takeBundle(network: Network, device: LinkedDevice): PreKeyBundle {
  const preKey = device.preKeys.shift()
  savePreKeys(network, device)
  if (device.preKeys.length === LOW_PRE_KEYS - 1) {
    push(network, device, lowPreKeys(stanzaId(network), nowText(network), device.preKeys.length))
  }
  const { registrationId, identityKey, signedPreKey } = device
  return { registrationId, identityKey, signedPreKey, ...(preKey ? { preKey } : {}) }
}
