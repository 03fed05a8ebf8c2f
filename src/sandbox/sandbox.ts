import type { Simulator } from '#simulator'
import { isGroupJid, STATUS } from '#simulator/jid'
import type { Phone } from '#simulator/phone/phone'
import { Refused } from '#simulator/refused'
import { BOUNDS } from '../domain/bounds.ts'

/** The network as customers may use it: for their own numbers, and within limits. Rejects with `Refused`. */
export class Sandbox {
  readonly simulator: Simulator
  readonly #maxWaiting: number

  /** `maxWaiting`: messages that may wait for a number that is not connected. */
  constructor(simulator: Simulator, maxWaiting: number = BOUNDS.sandboxWaiting) {
    this.simulator = simulator
    this.#maxWaiting = maxWaiting
  }

  /** Messages for a number that is not connected wait for it. */
  requireRoom(number: string): void {
    const devices = this.simulator.numbers().find(each => each.digits === number)?.devices ?? []
    if (devices.every(({ unacknowledged }) => unacknowledged < this.#maxWaiting)) return
    throw new Refused(`${this.#maxWaiting} messages wait for the number already: let it connect first`)
  }

  /** Any phone is a contact except linked numbers, whose owners send through the gateway. */
  contact(digits: string | undefined): Phone {
    if (digits === undefined) throw new Refused('from is required')
    if (this.simulator.numbers().some(number => number.digits === digits)) {
      throw new Refused('from is a linked number of the sandbox: send from it through POST /v1/messages')
    }
    return this.simulator.phone(digits)
  }

  /** The target of the contact's message: the number itself, a group that it is in, or a status post to it. */
  targetOf(number: string, phone: Phone, { group, broadcast }: { group?: string; broadcast?: boolean }): string {
    if (broadcast === true) return STATUS
    return group === undefined ? number : this.#groupWith(number, phone, group)
  }

  /** The group of the number with this name or JID, with the contact in it. */
  #groupWith(number: string, phone: Phone, group: string): string {
    const groups = this.simulator.groups().filter(each => each.members().includes(number))
    const known = groups.find(each => (isGroupJid(group) ? each.jid === group : each.subject === group))
    if (known === undefined) return this.#makeGroup(number, phone, group, groups.length)
    const members = known.members()
    if (members.includes(phone.digits)) return known.jid
    if (members.length >= BOUNDS.membersOfSandboxGroup)
      throw new Refused(`group: a group of the sandbox has at most ${BOUNDS.membersOfSandboxGroup} members`)
    known.change('add', [phone.digits])
    return known.jid
  }

  #makeGroup(number: string, phone: Phone, group: string, count: number): string {
    if (isGroupJid(group)) throw new Refused('group: the number is in no group with this JID; give a name to make one')
    if (count >= BOUNDS.sandboxGroups)
      throw new Refused(`group: a sandbox number is in at most ${BOUNDS.sandboxGroups} groups; name one that it is in`)
    return this.simulator.group({ subject: group, owner: phone.digits, members: [number] }).jid
  }
}
