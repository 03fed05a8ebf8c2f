import { startSimulator } from '@postern/simulator'
import { answerParent } from '../shared/child.mjs'
import { addressOf, pairNumbers } from '../shared/pair-numbers.mjs'

/** The simulated network; the parent can inject each of its faults by name. */
let simulator

answerParent({
  open: async () => {
    simulator = await startSimulator({ heldMessages: 100_000 })
    return addressOf(simulator)
  },
  pair: numbers => pairNumbers(simulator, numbers, 2),
  fault: ({ name, args }) => void simulator.faults[name](...args),
})
