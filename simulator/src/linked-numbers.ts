import { lidJid, numberJid } from './jid.ts'
import type { Network } from './world/network.ts'

export interface LinkedNumber {
  readonly digits: string
  readonly jid: string
  readonly lid: string
  readonly devices: readonly {
    readonly jid: string
    readonly connected: boolean
    /** Stanzas that the device has not acknowledged. */
    readonly unacknowledged: number
  }[]
}

/** Numbers that have linked devices, and the state of those devices. */
export function linkedNumbers(network: Network): LinkedNumber[] {
  const linked = [...network.users.values()].filter(user => user.devices.size > 0)
  return linked.map(user => ({
    digits: user.digits,
    jid: numberJid(user.digits),
    lid: lidJid(user.lid),
    devices: [...user.devices.values()].map(device => ({
      jid: numberJid(user.digits, device.device),
      connected: device.connection !== undefined,
      unacknowledged: device.outbox.entries.size,
    })),
  }))
}
