import { proto } from 'baileys'
import { BYTES, fieldsOf } from '../wire/proto-fields.ts'

/** The field of a history that has what tokens for strangers are made with; the library's list ends before it. */
const SALT_FIELD = 19
const SALT_BYTES = 32

/** By a part of the decoded history that the library hands on as it is. */
const salts = new WeakMap<object, Uint8Array>()
let isNoticing = false

/** From now on the salt of each history that the library decodes is known to `saltOf`. */
export function noticeSalts(): void {
  if (isNoticing) return
  isNoticing = true
  const { decode } = proto.HistorySync
  proto.HistorySync.decode = (reader, length) => {
    const history = decode(reader, length)
    const salt = reader instanceof Uint8Array ? readSalt(reader) : undefined
    if (salt) {
      // An empty one is the same in all histories.
      history.pastParticipants = [...(history.pastParticipants ?? [])]
      salts.set(history.pastParticipants, salt)
    }
    return history
  }
}

/** The salt that came with a history, as the library tells of it. */
export function saltOf({ pastParticipants }: { pastParticipants?: object | null }): Uint8Array | undefined {
  return pastParticipants ? salts.get(pastParticipants) : undefined
}

export function readSalt(history: Uint8Array): Uint8Array | undefined {
  for (const { number, wireType, from, to } of fieldsOf(history, 0, history.length))
    if (number === SALT_FIELD && wireType === BYTES && to - from === SALT_BYTES) return history.slice(from, to)
  return undefined
}
