import type { SignalKeyStore } from 'baileys'
import { digitsOf, jidKind, phoneJid, withoutDevice } from '../../../domain/jid.ts'
import { lookUp } from '../../../domain/look-up.ts'

/** Hidden identifiers and the phone numbers behind them, as far as they are known. */
export interface Lids {
  /** The same person by phone number; the identifier itself where the number is not known. */
  phoneFirst(jid: string): Promise<string>
  /** The phone JID of a person; absent where it is not known. */
  phoneOf(jid: string): Promise<string | undefined>
  lidOf(jid: string): Promise<string | undefined>
  /** Two names of one person were seen together. */
  remember(one: string | undefined, other: string | undefined): Promise<void>
}

export function createLids(keys: () => SignalKeyStore): Lids {
  const look = async (id: string): Promise<string | undefined> => lookUp(await keys().get('lid-mapping', [id]), id)

  const phoneOf = async (jid: string): Promise<string | undefined> => {
    const kind = jidKind(jid)
    if (kind === 'user') return withoutDevice(jid)
    const digits = kind === 'lid' ? await look(`${digitsOf(jid)}_reverse`) : undefined
    return digits === undefined ? undefined : phoneJid(digits)
  }
  return {
    phoneOf,
    phoneFirst: async jid => (await phoneOf(jid)) ?? withoutDevice(jid),
    async lidOf(jid) {
      if (jidKind(jid) === 'lid') return withoutDevice(jid)
      const digits = await look(digitsOf(jid))
      return digits === undefined ? undefined : `${digits}@lid`
    },
    async remember(one, other) {
      const pair = [one, other].filter(jid => jid !== undefined)
      const phone = pair.find(jid => jidKind(jid) === 'user')
      const lid = pair.find(jid => jidKind(jid) === 'lid')
      if (phone === undefined || lid === undefined) return
      const digits = { phone: digitsOf(phone), lid: digitsOf(lid) }
      if ((await look(`${digits.lid}_reverse`)) === digits.phone) return
      await keys().set({ 'lid-mapping': { [digits.phone]: digits.lid, [`${digits.lid}_reverse`]: digits.phone } })
    },
  }
}
