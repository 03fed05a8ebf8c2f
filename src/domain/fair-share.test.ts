import { expect, it } from 'vitest'
import { roomFor, surplusOf } from './fair-share.ts'

it.each([
  ['the only host takes all', 0, { sessions: 7, hosts: 1 }, 7, 0],
  ['one of two takes half, rounded up', 0, { sessions: 7, hosts: 2 }, 4, 0],
  ['who has some takes the rest of its share', 3, { sessions: 7, hosts: 2 }, 1, 0],
  ['who has its share is left as it is', 4, { sessions: 7, hosts: 2 }, 0, 0],
  ['who has more hands over what is above it', 7, { sessions: 7, hosts: 2 }, 0, 3],
  ['and few at a time', 100, { sessions: 100, hosts: 2 }, 0, 8],
  ['the only host keeps what it has, whatever is counted', 7, { sessions: 3, hosts: 1 }, 0, 0],
  ['a host that is not counted yet takes what one would', 0, { sessions: 3, hosts: 0 }, 3, 0],
  ['without numbers there is nothing to take', 0, { sessions: 0, hosts: 2 }, 0, 0],
])('%s', (_, held, shared, room, surplus) => {
  expect({ room: roomFor(held, shared), surplus: surplusOf(held, shared) }).toEqual({ room, surplus })
})
