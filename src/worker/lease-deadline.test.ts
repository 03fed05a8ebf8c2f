import { describe, expect, it } from 'vitest'
import { LeaseDeadline } from './lease-deadline.ts'

const config = { leaseTtlMs: 10_000, outageMs: 75_000 }

function open(leaseMs: number) {
  let nowMs = 0
  const clock = { monotonicMs: () => nowMs }
  const deadline = new LeaseDeadline({ clock, config }, { sentAtMs: 0, leaseMs })
  return {
    deadline,
    at: (ms: number) => {
      nowMs = ms
      return { isFresh: deadline.isFresh(), isHeard: deadline.isHeard(), isValid: deadline.isValid() }
    },
  }
}

describe('the deadline of leases', () => {
  it('counts from the last heartbeat, by what that promised', () => {
    const { at } = open(30_000)
    expect(at(7_000)).toEqual({ isFresh: true, isHeard: true, isValid: true })
    expect(at(8_000)).toEqual({ isFresh: true, isHeard: false, isValid: true })
    expect(at(15_000)).toEqual({ isFresh: false, isHeard: false, isValid: true })
    expect(at(75_000)).toEqual({ isFresh: false, isHeard: false, isValid: false })
  })

  it('relies on a shorter promise as soon as that is sent, and on a longer one when the database has it', () => {
    const { deadline, at } = open(30_000)
    deadline.promise(10_000)
    expect(at(6_000).isFresh).toBe(false)
    deadline.promise(30_000)
    expect(at(6_000).isFresh).toBe(false)
    deadline.renew({ sentAtMs: 6_000, leaseMs: 30_000 })
    expect(at(20_000).isFresh).toBe(true)
  })
})
