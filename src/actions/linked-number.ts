import { sandboxNumberTaken, tooManyNumbers } from '../domain/errors.ts'
import type { TakenSession } from '../store/hosting/hosting.ts'
import type { CompletedPairing } from '../store/pairings/complete-pairing.ts'

/** The number that was linked, `undefined` where its pairing is over by now. Throws what its customer is to read. */
export function linkedNumber(completed: CompletedPairing): TakenSession | undefined {
  switch (completed.kind) {
    case 'linked':
      return completed.taken
    case 'over':
      return undefined
    case 'number_taken':
      throw sandboxNumberTaken()
    case 'full':
      throw tooManyNumbers(completed.platform, completed.limit)
    default: {
      const never: never = completed
      return never
    }
  }
}
