import { readSandboxPayload, watchSandbox } from './sandbox-payloads.ts'
import {
  publishSimulator,
  readSimulatorAddress,
  readSimulatorEntries,
  saveSimulatorEntries,
} from './simulator-state.ts'
import type { Call } from '../repository.ts'

/** The state of the sandbox network. */
export interface SimulatorRepository {
  publishSimulator: Call<typeof publishSimulator>
  readSandboxPayload: Call<typeof readSandboxPayload>
  readSimulatorAddress: Call<typeof readSimulatorAddress>
  readSimulatorEntries: Call<typeof readSimulatorEntries>
  saveSimulatorEntries: Call<typeof saveSimulatorEntries>
  watchSandbox: Call<typeof watchSandbox>
}

export const simulator = {
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
