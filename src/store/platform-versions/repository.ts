import { forgetVersion, keepVersion, listVersions, readVersion } from './platform-versions.ts'
import type { Call } from '../repository.ts'

/** The web client version that numbers log in as. */
export interface PlatformVersionRepository {
  forgetVersion: Call<typeof forgetVersion>
  keepVersion: Call<typeof keepVersion>
  listVersions: Call<typeof listVersions>
  readVersion: Call<typeof readVersion>
}

export const platformVersions = {
  reads: {
    listVersions,
    readVersion,
  },
  writes: {
    forgetVersion,
    keepVersion,
  },
  batches: {},
}
