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
