import { lidJid, numberJid, type Addressing } from '../jid.ts'
import { keyPairFrom, sign, signingKeyPairFrom, withType } from '../signal/curve.ts'
import { derive } from '../signal/derive.ts'
import type { Companion, Gone } from '../world/companion.ts'
import type { User } from '../world/person.ts'
import type { KeyHolder, PhoneKeys } from '../world/phone-keys.ts'
import { restorePhoneKeys } from './keys.ts'

/** The linked computer that every contact has. */
const USUAL = 12
const NO_SALT = Buffer.alloc(32)
/** How many read messages a companion remembers. */
const REMEMBERED = 200

export function createCompanion(id: number, isHosted = false, gone?: Gone): Companion {
  return { id, isHosted, gone, keys: undefined, read: new Set() }
}

/** A contact has one companion by default; a number with linked devices has none. */
export function companionsOf(user: User): readonly Companion[] {
  if (user.companions === undefined && user.devices.size === 0) user.companions = [createCompanion(USUAL)]
  return user.companions ?? []
}

export function companionOf(user: User, id: number): Companion | undefined {
  return companionsOf(user).find(companion => companion.id === id)
}

/** The companions in the server's device list; unlike `companionsOf`, it creates none. */
export function companionsListed(user: User): readonly Pick<Companion, 'id' | 'isHosted'>[] {
  return user.companions ?? (user.devices.size === 0 ? [{ id: USUAL, isHosted: false }] : [])
}

/** Derived from the phone's key, so that they need not be saved. */
function deriveKeys(user: User, id: number): PhoneKeys {
  const secret = (use: string) => derive(user.keys.local.identity.private, NO_SALT, `companion ${id} ${use}`, 32)
  const identity = signingKeyPairFrom(secret('identity'))
  const pair = keyPairFrom(secret('signed prekey'))
  const registrationId = 1 + (secret('registration').readUInt16BE() % 16_379)
  return restorePhoneKeys(
    { identity, registrationId },
    { id: 1, pair, signature: sign(identity, withType(pair.public)) },
  )
}

export function holderOf(user: User, companion: Companion): KeyHolder {
  companion.keys ??= deriveKeys(user, companion.id)
  return { digits: companionName(user, companion.id), keys: companion.keys }
}

/** The name of a companion if phones are named by their digits; the phone itself has only the number. */
export function companionName({ digits }: Pick<User, 'digits'>, id: number): string {
  return id === 0 ? digits : `${digits}:${id}`
}

/** How a stanza names a device. */
export function deviceName(user: User, addressing: Addressing, id: number): string {
  const name = addressing === 'lid' ? lidJid(user.lid, id) : numberJid(user.digits, id)
  if (!companionsListed(user).some(companion => companion.id === id && companion.isHosted)) return name
  return addressing === 'lid' ? name.replace(/@.*/, '@hosted.lid') : name.replace(/@.*/, '@hosted')
}

export function noteRead({ read }: Companion, id: string): void {
  read.add(id)
  if (read.size > REMEMBERED) read.delete(read.values().next().value!)
}
