import { expect, it } from 'vitest'
import { roomFor, type LeasePool, surplusOf } from './fair-share.ts'

const ROOM = 1_000_000

/** So many numbers in all, of which one host holds some; the others hold as many as they can get of the rest. */
function among(held: number, { sessions, hosts }: { sessions: number; hosts: number }): LeasePool {
  const others = Array.from({ length: Math.max(0, hosts - 1) }, () => ({ leases: 0, room: ROOM }))
  if (others[0] !== undefined) others[0].leases = Math.max(0, sessions - held)
  const own = hosts === 0 ? [] : [{ leases: held, room: ROOM }]
  return { owners: [...own, ...others], free: hosts < 2 ? Math.max(0, sessions - held) : 0 }
}

it.each([
  ['the only host takes all', 0, { sessions: 7, hosts: 1 }, 7, 0],
  ['one of two takes half, rounded up', 0, { sessions: 7, hosts: 2 }, 4, 0],
  ['who has some takes the rest of its share', 3, { sessions: 7, hosts: 2 }, 1, 0],
  ['who has its share is left as it is', 4, { sessions: 7, hosts: 2 }, 0, 0],
  ['who has more hands over what is above it', 7, { sessions: 7, hosts: 2 }, 0, 3],
  ['and few at a time', 100, { sessions: 100, hosts: 2 }, 0, 8],
  ['unless there is much', 1_000, { sessions: 1_000, hosts: 2 }, 0, 63],
  ['and never more than can log in soon', 19_000, { sessions: 19_000, hosts: 20 }, 0, 128],
  ['the only host keeps what it has, whatever is counted', 7, { sessions: 3, hosts: 1 }, 0, 0],
  ['a host that is not counted yet takes what one would', 0, { sessions: 3, hosts: 0 }, 3, 0],
  ['without numbers there is nothing to take', 0, { sessions: 0, hosts: 2 }, 0, 0],
])('%s', (_, leases, shared, room, surplus) => {
  const own = { leases, room: ROOM }
  const all = among(leases, shared)
  expect({ room: roomFor(own, all), surplus: surplusOf(own, all) }).toEqual({ room, surplus })
})

it.each([
  ['a host takes no more than its maximum', { leases: 5, room: 6 }, { owners: [{ leases: 5, room: 6 }], free: 9 }, 1],
  [
    'what one may not hold the others take',
    { leases: 0, room: 100 },
    {
      owners: [
        { leases: 0, room: 100 },
        { leases: 2, room: 2 },
      ],
      free: 18,
    },
    18,
  ],
  [
    'one that may hold less takes all that it may',
    { leases: 0, room: 2 },
    {
      owners: [
        { leases: 0, room: 2 },
        { leases: 0, room: 100 },
      ],
      free: 20,
    },
    2,
  ],
  ['where all are full the rest waits', { leases: 2, room: 2 }, { owners: [{ leases: 2, room: 2 }], free: 5 }, 0],
])('%s', (_, own, shared, room) => expect(roomFor(own, shared)).toBe(room))

it('no number is handed over while one that was handed over waits', () => {
  const owners = [
    { leases: 100, room: ROOM },
    { leases: 0, room: ROOM },
  ]
  expect(surplusOf(owners[0]!, { owners, free: 0 })).toBe(8)
  expect(surplusOf(owners[0]!, { owners, free: 1 })).toBe(0)
})
