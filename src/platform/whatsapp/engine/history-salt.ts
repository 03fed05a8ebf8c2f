import { proto } from 'baileys'
import { BYTES, fieldsOf } from '../wire/proto-fields.ts'

/** The history field with the salt for tokens to unknown contacts; it is newer than the library. */
const SALT_FIELD = 19
const SALT_BYTES = 32

/** By a part of the decoded history that the library passes on unchanged. */
const salts = new WeakMap<object, Uint8Array>()
let isInstalled = false

/** Makes `saltOf` return the salt of each history that the library decodes from now on. */
export function captureSalts(): void {
  if (isInstalled) return
  isInstalled = true
  const { decode } = proto.HistorySync
  proto.HistorySync.decode = (reader, length) => {
    const history = decode(reader, length)
    const salt = reader instanceof Uint8Array ? readSalt(reader) : undefined
    if (salt) {
      // Empty histories share one array, so each needs a copy.
      history.pastParticipants = [...(history.pastParticipants ?? [])]
      salts.set(history.pastParticipants, salt)
    }
    return history
  }
}

/** The salt of a history that the library emitted. */
export function saltOf({ pastParticipants }: { pastParticipants?: object | null }): Uint8Array | undefined {
  return pastParticipants ? salts.get(pastParticipants) : undefined
}

export function readSalt(history: Uint8Array): Uint8Array | undefined {
  for (const { number, wireType, from, to } of fieldsOf(history, 0, history.length))
    if (number === SALT_FIELD && wireType === BYTES && to - from === SALT_BYTES) return history.slice(from, to)
  return undefined
}
