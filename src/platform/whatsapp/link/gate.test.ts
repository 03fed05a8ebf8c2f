import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Gate } from './gate.ts'

function setUp() {
  const state = { tail: 0, committed: 0 }
  const sent: number[] = []
  const gate = new Gate({ tail: () => state.tail, committed: () => state.committed }, frame => sent.push(frame[0]!))
  return { state, sent, gate, write: (n: number) => gate.write(Buffer.from([n]), undefined) }
}

test('a frame leaves immediately when everything before it is durable', () => {
  const { sent, write } = setUp()
  write(1)
  expect(sent).toEqual([1])
})

test('a frame waits for earlier changes, not for later ones', () => {
  const { state, sent, gate, write } = setUp()
  state.tail = 3
  write(1)
  state.tail = 9
  state.committed = 2
  gate.release()
  expect(sent).toEqual([])
  state.committed = 3
  gate.release()
  expect(sent).toEqual([1])
})

test('a frame written in a transaction waits for its end and for its changes', () => {
  const { state, sent, gate, write } = setUp()
  const transaction = { endedAt: undefined as { position: number } | undefined, hasFrame: false }
  gate.write(Buffer.from([1]), transaction)
  write(2)
  expect(transaction.hasFrame).toBe(true)
  gate.release()
  expect(sent).toEqual([])
  transaction.endedAt = { position: 5 }
  gate.release()
  expect(sent).toEqual([])
  state.committed = 5
  gate.release()
  expect(sent).toEqual([1, 2])
})

test('a gate that is shut sends nothing', () => {
  const { state, sent, gate, write } = setUp()
  state.tail = 1
  write(1)
  gate.shut()
  state.committed = 1
  gate.release()
  write(2)
  expect(sent).toEqual([])
})

test('in any sequence, frames leave in order and never before earlier changes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('write', 'append', 'commit'), { maxLength: 60 }), steps => {
      const { state, sent, gate, write } = setUp()
      const after: number[] = []
      for (const step of steps) {
        if (step === 'append') state.tail += 1
        else if (step === 'write') {
          after.push(state.tail)
          write(after.length - 1)
        } else if (state.committed < state.tail) {
          state.committed += 1
          gate.release()
        }
        expect(sent).toEqual(after.flatMap((position, index) => (position <= state.committed ? [index] : [])))
      }
    }),
  )
})
