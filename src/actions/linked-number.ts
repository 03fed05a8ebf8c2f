import { sandboxNumberTaken, tooManyNumbers } from '../domain/errors.ts'
import type { TakenSession } from '../store/hosting/hosting.ts'
import type { CompletedPairing } from '../store/pairings/complete-pairing.ts'

/** The linked number, or `undefined` where its pairing has ended meanwhile. Throws the error that the customer reads. */
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
