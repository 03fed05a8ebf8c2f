import {
  abandonUpload,
  addUploadPart,
  beginUpload,
  findUpload,
  finishUpload,
  prolongUpload,
  readUploadPart,
} from './uploads.ts'
import type { Call } from '../repository.ts'

/** Files that accounts upload for their sandbox numbers. */
export interface UploadRepository {
  abandonUpload: Call<typeof abandonUpload>
  addUploadPart: Call<typeof addUploadPart>
  beginUpload: Call<typeof beginUpload>
  findUpload: Call<typeof findUpload>
  finishUpload: Call<typeof finishUpload>
  prolongUpload: Call<typeof prolongUpload>
  readUploadPart: Call<typeof readUploadPart>
}

export const uploads = {
  reads: {
    findUpload,
    readUploadPart,
  },
  writes: {
    abandonUpload,
    addUploadPart,
    beginUpload,
    finishUpload,
    prolongUpload,
  },
  batches: {},
}
