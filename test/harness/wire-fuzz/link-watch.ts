import type { LinkedDevice } from '@postern/simulator/world/device'
import type { BinaryNode } from '@postern/simulator/wire/node'
import { labelOf } from './wire.ts'

/** Detects links that end and stanzas that devices leave unanswered. */
export interface LinkWatch {
  /** Call it often: a link that differs from the last one has ended in between. */
  look(): void
  unconfirmed(): number
  /** No device has confirmed anything for this long. */
  isStuck(ms: number): boolean
  /** A stanza that a device has not confirmed for this long is recorded once. */
  takeBackOlderThan(device: LinkedDevice, ms: number): void
  report(): { linksDropped: string[]; unconfirmed: string[] }
}

const NAMED = 5
const MAX_NOTED = 100

/** How many stanzas with its id wait: an answer confirms one of them. */
const copiesOf = ({ byId }: LinkedDevice['outbox'], { attrs }: BinaryNode): string =>
  `${byId.get(attrs.id ?? '')?.length ?? 0} of its id`

export function watchLinks(devices: readonly LinkedDevice[]): LinkWatch {
  const connections = new Map(devices.map(device => [device, device.connection]))
  const oldest = new Map<LinkedDevice, { seq: string | undefined; since: number }>()
  const seenAt = new WeakMap<BinaryNode, number>()
  const linksDropped: string[] = []
  const takenBack: string[] = []
  let answeredAt = performance.now()

  const ageOf = (stanza: BinaryNode): string => {
    const since = seenAt.get(stanza)
    return since === undefined ? 'just said' : `${((performance.now() - since) / 1000).toFixed(1)} s old`
  }
  const describe = ({ outbox }: LinkedDevice, stanza: BinaryNode): string =>
    `${labelOf(stanza)}, ${ageOf(stanza)}, ${copiesOf(outbox, stanza)}`
  const waiting = (device: LinkedDevice): string[] =>
    [...device.outbox.entries.values()].map(stanza => describe(device, stanza))
  const look = (): void => {
    for (const device of devices) {
      for (const stanza of device.outbox.entries.values())
        if (!seenAt.has(stanza)) seenAt.set(stanza, performance.now())
      if (device.connection !== connections.get(device)) {
        if (connections.get(device) !== undefined && linksDropped.length < MAX_NOTED)
          linksDropped.push(`${device.digits}: ${waiting(device).slice(0, NAMED).join(', ')}`)
        connections.set(device, device.connection)
      }
      const [seq] = device.outbox.entries.keys()
      if (oldest.get(device)?.seq === seq) continue
      oldest.set(device, { seq, since: performance.now() })
      answeredAt = performance.now()
    }
  }
  return {
    look,
    unconfirmed: () => devices.reduce((sum, device) => sum + device.outbox.entries.size, 0),
    isStuck: ms => performance.now() - answeredAt > ms,
    takeBackOlderThan(device, ms) {
      const first = oldest.get(device)
      if (first?.seq === undefined || performance.now() - first.since < ms) return
      const stanza = device.outbox.entries.get(first.seq)
      if (stanza && takenBack.length < MAX_NOTED) takenBack.push(describe(device, stanza))
      device.outbox.entries.delete(first.seq)
    },
    report: () => ({ linksDropped, unconfirmed: [...takenBack, ...devices.flatMap(waiting)] }),
  }
}
