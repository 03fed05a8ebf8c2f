import type { Network, Presence, User } from '../network.ts'
import { saveUser } from '../network.ts'

/** What a person shows to one number alone, instead of to all. Accounts share the sandbox's contacts, not these. */
export interface Face {
  readonly name?: string
  readonly presence?: Presence
}

export function showFace(network: Network, user: User, number: string, face: Face): void {
  user.faces.set(number, { ...user.faces.get(number), ...face })
  saveUser(network, user)
}

/** The name that comes with a message to these people. */
export function nameTo(user: User, others: readonly User[]): string {
  return others.map(({ digits }) => user.faces.get(digits)?.name).find(name => name !== undefined) ?? user.name
}

export function presenceTo(user: User, number: string): Presence {
  return user.faces.get(number)?.presence ?? user.presence
}
