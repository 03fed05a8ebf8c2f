import { readSandboxPayload, watchSandbox } from './sandbox-payloads.ts'
import {
  publishSimulator,
  readSimulatorAddress,
  readSimulatorEntries,
  saveSimulatorEntries,
} from './simulator-state.ts'
import { abandonUpload, addUploadPart, beginUpload, finishUpload, prolongUpload } from './uploads.ts'

export const sandbox = {
  reads: {
    readSandboxPayload,
    readSimulatorAddress,
    readSimulatorEntries,
  },
  writes: {
    abandonUpload,
    addUploadPart,
    beginUpload,
    finishUpload,
    prolongUpload,
    publishSimulator,
    saveSimulatorEntries,
    watchSandbox,
  },
  batches: {},
}
