import {
  addRequest,
  answerRequest,
  endRequest,
  hasSandboxRequests,
  readAnswer,
  readPairingRequests,
  readRequests,
  readUnhostedRequests,
  takeSandboxRequests,
} from './requests.ts'
import type { Call } from '../repository.ts'

/** Requests of the API to a number's host or to the sandbox network, and their responses. */
export interface RequestRepository {
  addRequest: Call<typeof addRequest>
  answerRequest: Call<typeof answerRequest>
  endRequest: Call<typeof endRequest>
  hasSandboxRequests: Call<typeof hasSandboxRequests>
  readAnswer: Call<typeof readAnswer>
  readPairingRequests: Call<typeof readPairingRequests>
  readRequests: Call<typeof readRequests>
  readUnhostedRequests: Call<typeof readUnhostedRequests>
  takeSandboxRequests: Call<typeof takeSandboxRequests>
}

export const requests = {
  reads: {
    hasSandboxRequests,
    readAnswer,
    readPairingRequests,
    readRequests,
    readUnhostedRequests,
  },
  writes: {
    addRequest,
    answerRequest,
    endRequest,
    takeSandboxRequests,
  },
  batches: {},
}
