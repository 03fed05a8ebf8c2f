import { commitDeviceStates, readDeviceCreds, readDeviceKeys, readSentMessage } from './device-state.ts'
import type { BatchedCall, Call } from '../repository.ts'

/** Keys and credentials of linked devices, and copies of their sent messages. */
export interface DeviceRepository {
  commitDeviceState: BatchedCall<typeof commitDeviceStates>
  readDeviceCreds: Call<typeof readDeviceCreds>
  readDeviceKeys: Call<typeof readDeviceKeys>
  readSentMessage: Call<typeof readSentMessage>
}

export const devices = {
  reads: {
    readDeviceCreds,
    readDeviceKeys,
    readSentMessage,
  },
  writes: {},
  batches: {
    commitDeviceState: commitDeviceStates,
  },
}
