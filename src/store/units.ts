import { accounts } from './units/accounts/door.ts'
import { commands } from './units/commands/door.ts'
import { delivery } from './units/delivery/door.ts'
import { hosting } from './units/hosting/door.ts'
import { inbox } from './units/inbox/door.ts'
import { leases } from './units/leases/door.ts'
import { listening } from './units/listening/door.ts'
import { messages } from './units/messages/door.ts'
import { moving } from './units/moving/door.ts'
import { nodes } from './units/nodes/door.ts'
import { requests } from './units/requests/door.ts'
import { sandbox } from './units/sandbox/door.ts'
import { sessions } from './units/sessions/door.ts'
import { tracing } from './units/tracing/door.ts'
import { unlisted } from './units/unlisted/door.ts'
import { users } from './units/users/door.ts'
import { webhooks } from './units/webhooks/door.ts'

/** The units, grouped by who asks for them. A batch takes many items in one commit; callers give one each. */
export const doors = {
  accounts,
  commands,
  delivery,
  hosting,
  inbox,
  leases,
  listening,
  messages,
  moving,
  nodes,
  requests,
  sandbox,
  sessions,
  tracing,
  users,
  webhooks,
}

/** Every unit that a thread may be asked to run. */
export const allDoors = { ...doors, unlisted }

export type Doors = typeof doors
export type AllDoors = typeof allDoors
