import {
  addMedia,
  addMediaPiece,
  dropMedia,
  dropMediaPieces,
  expireMedia,
  findSentMedia,
  finishMedia,
  getMedia,
  hasRoomFor,
  prolongMedia,
  readExpiredMedia,
  readMediaPiece,
  sumMediaUsage,
  useMedia,
} from './media.ts'
import type { Call } from '../repository.ts'

/** Files that accounts upload, and files that people send to their numbers. `MediaFiles` has their bytes. */
export interface MediaRepository {
  addMedia: Call<typeof addMedia>
  addMediaPiece: Call<typeof addMediaPiece>
  dropMedia: Call<typeof dropMedia>
  dropMediaPieces: Call<typeof dropMediaPieces>
  expireMedia: Call<typeof expireMedia>
  findSentMedia: Call<typeof findSentMedia>
  finishMedia: Call<typeof finishMedia>
  getMedia: Call<typeof getMedia>
  hasRoomFor: Call<typeof hasRoomFor>
  prolongMedia: Call<typeof prolongMedia>
  readExpiredMedia: Call<typeof readExpiredMedia>
  readMediaPiece: Call<typeof readMediaPiece>
  sumMediaUsage: Call<typeof sumMediaUsage>
  useMedia: Call<typeof useMedia>
}

export const media = {
  reads: {
    findSentMedia,
    getMedia,
    hasRoomFor,
    readExpiredMedia,
    readMediaPiece,
    sumMediaUsage,
  },
  writes: {
    addMedia,
    addMediaPiece,
    dropMedia,
    dropMediaPieces,
    expireMedia,
    finishMedia,
    prolongMedia,
    useMedia,
  },
  batches: {},
}
