import { lidJid, numberJid } from '@postern/simulator/jid'
import { userOf } from '@postern/simulator/people'
import type { User } from '@postern/simulator/world/person'
import type { Rig } from '../harness/whatsapp-rig.ts'
import type { Line } from './read-recording.ts'

const PLACEHOLDER = /^(user|group|list|channel|call|bot|me)(?:#(\d+))?(?::(\d+))?@(.+)$/

/** Attributes that name a person a second time, under the other kind of id. */
const PAIRS: ReadonlyArray<readonly [string, string]> = [
  ['from', 'sender_lid'],
  ['from', 'sender_pn'],
  ['participant', 'participant_lid'],
  ['participant', 'participant_pn'],
  ['recipient', 'peer_recipient_pn'],
  ['recipient', 'peer_recipient_lid'],
]

export interface Own {
  readonly digits: string
  /** The number of its device in the recording, and in the replay. */
  readonly recordedDevice: string
  device: number
}

/**
 * People and groups for the placeholders of a recording: the same one for the same placeholder. Created before the
 * number is linked, because it would be notified of the groups.
 */
export class StandIns {
  readonly #rig: Rig
  readonly #own: Own
  readonly #people = new Map<string, string>()
  readonly #groups = new Map<string, string>()
  readonly #lines: readonly Line[]

  constructor(rig: Rig, own: Own, lines: readonly Line[]) {
    this.#rig = rig
    this.#own = own
    this.#lines = lines
    for (const { attrs = {} } of lines) for (const pair of PAIRS) this.#pair(attrs[pair[0]], attrs[pair[1]])
    for (const { attrs = {} } of lines) Object.values(attrs).forEach(value => this.jid(value))
  }

  /** The stand-in for a placeholder. */
  person(placeholder: string | undefined): User | undefined {
    const [, kind, number] = PLACEHOLDER.exec(placeholder ?? '') ?? []
    if (kind === 'me') return userOf(this.#rig.simulator.network, this.#own.digits)
    return kind === 'user' ? userOf(this.#rig.simulator.network, this.#digits(`${kind}#${number}`)) : undefined
  }

  jid(placeholder: string): string | undefined {
    const [, kind, number, device, server] = PLACEHOLDER.exec(placeholder) ?? []
    if (kind === undefined) return undefined
    const user = this.person(placeholder)
    if (user !== undefined) {
      const isOwnDevice = kind === 'me' && device === this.#own.recordedDevice
      const said = isOwnDevice ? this.#own.device : Number(device ?? 0)
      return server === 'lid' ? lidJid(user.lid, said) : numberJid(user.digits, said).replace(/@.*/, `@${server}`)
    }
    if (kind === 'group') return this.#group(placeholder)
    return `1203630000000${String(number).padStart(5, '0')}@${server}`
  }

  #pair(one: string | undefined, other: string | undefined): void {
    const [first, second] = [one, other].map(each => /^user#\d+/.exec(each ?? '')?.[0])
    if (first !== undefined && second !== undefined) this.#people.set(second, this.#digits(first))
  }

  #digits(name: string): string {
    const known = this.#people.get(name) ?? `1888${String(this.#people.size).padStart(7, '0')}`
    this.#people.set(name, known)
    return known
  }

  /** A group with every person who writes in it. */
  #group(placeholder: string): string {
    const known = this.#groups.get(placeholder)
    if (known !== undefined) return known
    const said = this.#lines.filter(({ attrs }) => attrs?.['from'] === placeholder)
    const speakers = said.flatMap(({ attrs }) => this.person(attrs?.['participant'])?.digits ?? [])
    const members = [...new Set([...speakers, this.#own.digits])]
    const { jid } = this.#rig.simulator.group({ subject: 'Group', owner: '18889999999', members })
    this.#groups.set(placeholder, jid)
    return jid
  }
}
