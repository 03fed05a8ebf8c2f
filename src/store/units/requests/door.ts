import {
  addRequest,
  answerRequest,
  endRequest,
  hasSandboxRequests,
  readAnswer,
  readRequests,
  readUnhostedRequests,
  takeSandboxRequests,
} from './requests.ts'

export const requests = {
  reads: {
    hasSandboxRequests,
    readAnswer,
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
