import { getOwn } from '../../../runtime/get-own.ts'
import type { PlatformReceipt } from '../../platform.ts'

/** By the type of the stanza. `inactive`: it was delivered to a device that is not in use. */
const RECEIPT_TYPES: Readonly<Record<string, PlatformReceipt['type']>> = {
  '': 'delivered',
  delivery: 'delivered',
  inactive: 'delivered',
  read: 'read',
  played: 'played',
}

/** What a receipt of this type reports of a message; the other types are between devices and the server. */
export const receiptTypeOf = (type = ''): PlatformReceipt['type'] | undefined => getOwn(RECEIPT_TYPES, type)
