import { proto, writeRandomPadMax16 } from 'baileys'
import { encodeFields } from '../signal/fields.ts'
import type { Content } from './content.ts'

/** Encodes the field of a newer app, which the codec does not know. */
export function newerFieldOf(content: Content): Uint8Array | undefined {
  if (content.type !== 'newer') return undefined
  return encodeFields([[content.field, content.body]])
}

interface Written {
  readonly message: proto.IMessage
  readonly newer?: Uint8Array | undefined
}

/** The message with the newer field appended: appended fields are part of a protobuf message. */
export function encodeWritten({ message, newer }: Written): Uint8Array {
  const known = proto.Message.encode(message).finish()
  return newer ? Buffer.concat([known, newer]) : known
}

/** The same, padded for encryption. */
export function padded(written: Written): Uint8Array {
  return writeRandomPadMax16(encodeWritten(written))
}
