import { saveUser } from '../people.ts'
import type { Network } from '../world/network.ts'
import type { Face, Presence, User } from '../world/person.ts'
import type { Profile } from '../world/profile.ts'

export function showFace(network: Network, user: User, number: string, face: Face): void {
  user.faces.set(number, { ...user.faces.get(number), ...face })
  saveUser(network, user)
}

/** The sender name in a message to these people. */
export function nameTo(user: User, others: readonly User[]): string {
  return others.map(({ digits }) => user.faces.get(digits)?.name).find(name => name !== undefined) ?? user.name
}

export function presenceTo(user: User, number: string): Presence {
  return user.faces.get(number)?.presence ?? user.presence
}

export function profileTo(user: User, number: string): Profile {
  return user.faces.get(number)?.profile ?? user.profile
}
