import { readSandboxPayload, watchSandbox } from './sandbox-payloads.ts'
import { askSimulator, hasSimulatorRequests, takeSimulatorRequests } from './simulator-requests.ts'
import {
  publishSimulator,
  readSimulatorAddress,
  readSimulatorEntries,
  saveSimulatorEntries,
} from './simulator-state.ts'

export const sandbox = {
  reads: {
    hasSimulatorRequests,
    readSandboxPayload,
    readSimulatorAddress,
    readSimulatorEntries,
  },
  writes: {
    askSimulator,
    publishSimulator,
    saveSimulatorEntries,
    takeSimulatorRequests,
    watchSandbox,
  },
  batches: {},
}
