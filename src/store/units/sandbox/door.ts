import { readSandboxPayload, watchSandbox } from './sandbox-payloads.ts'
import {
  publishSimulator,
  readSimulatorAddress,
  readSimulatorEntries,
  saveSimulatorEntries,
} from './simulator-state.ts'

export const sandbox = {
  reads: {
    readSandboxPayload,
    readSimulatorAddress,
    readSimulatorEntries,
  },
  writes: {
    publishSimulator,
    saveSimulatorEntries,
    watchSandbox,
  },
  batches: {},
}
