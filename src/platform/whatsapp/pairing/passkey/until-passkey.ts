import type { LinkingWay, UnpairedConnection } from '../unpaired-connection.ts'

/** The connection as the showing of codes sees it: when the passkey is asked for, that is over. */
export function untilThen(connection: UnpairedConnection, begun: AbortSignal): UnpairedConnection {
  return {
    ...connection,
    over: AbortSignal.any([connection.over, begun]),
    onStep: step => {
      if (!begun.aborted) connection.onStep(step)
    },
    usedUp: () => {
      if (!begun.aborted) connection.usedUp()
    },
    refuse: why => {
      if (!begun.aborted) connection.refuse(why)
    },
  }
}

/** What the showing of codes hears: afterwards it is confirmed and changes nothing, least of all the secret. */
export function onlyBefore(
  notifications: LinkingWay['notifications'],
  begun: AbortSignal,
): LinkingWay['notifications'] {
  const heard = Object.entries(notifications).map(([type, handle]): [string, typeof handle] => [
    type,
    stanza => (begun.aborted ? 'ours' : handle(stanza)),
  ])
  return Object.fromEntries(heard)
}
