import { withoutDevice } from '../../../domain/jid.ts'
import type { AuthenticationCreds } from 'baileys'

type Creds = Pick<AuthenticationCreds, 'me'>

/** This device under each of its names: by number, and by hidden identifier once that is known. */
export function ownDevices({ me }: Creds): string[] {
  return [me?.id, me?.lid].filter(jid => jid !== undefined)
}

export const ownNames = (creds: Creds): string[] => ownDevices(creds).map(withoutDevice)

/** This device under the kind of name that `jid` is; by its number if it has no other. */
export function ownDeviceLike({ me }: Creds, jid: string): string {
  return jid.endsWith('lid') && me?.lid ? me.lid : (me?.id ?? '')
}

export const ownLid = ({ me }: Creds): string | undefined => (me?.lid === undefined ? undefined : withoutDevice(me.lid))

/** Whether this is a device of the number, or the number itself. */
export const isOwn = (creds: Creds, jid: string): boolean => ownNames(creds).includes(withoutDevice(jid))
