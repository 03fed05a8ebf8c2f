import { changeSetting, getSetting, initSetting } from './settings.ts'
import type { Call } from '../repository.ts'

/** Values that the whole installation shares. */
export interface SettingRepository {
  changeSetting: Call<typeof changeSetting>
  getSetting: Call<typeof getSetting>
  initSetting: Call<typeof initSetting>
}

export const settings = {
  reads: {
    getSetting,
  },
  writes: {
    changeSetting,
    initSetting,
  },
  batches: {},
}
