import type { Plan } from './account.ts'
import { MAX_SENT_MEDIA_BYTES, type MediaType } from './message.ts'

/** The size of one encrypted piece of a stored file: any piece can be read without the others. */
export const MEDIA_PIECE_BYTES = 262_144

const GIB = 1_073_741_824

/** The platform takes documents up to this size. */
export const MAX_DOCUMENT_BYTES = 2 * GIB

/** Without a folder for media, files are in the database, which larger ones would burden. */
export const MAX_DATABASE_MEDIA_BYTES = MAX_SENT_MEDIA_BYTES

/** The size that a stored file may have to be sent as this type. The limit of URLs is that of the specification. */
export const maxBytesOf = (type: MediaType): number => (type === 'document' ? MAX_DOCUMENT_BYTES : MAX_SENT_MEDIA_BYTES)

/** Bytes a second: a slower line to the platform fails. */
const MIN_RATE = 524_288

/** How long a file of this size may take between the gateway and the platform, besides the time for any file. */
export const transferMs = (bytes: number): number =>
  bytes <= MAX_SENT_MEDIA_BYTES ? 0 : Math.ceil((bytes / MIN_RATE) * 1_000)

const STORED_BYTES: Record<Plan, number> = { free: 4 * GIB, pro: 40 * GIB, max: 400 * GIB }

/** How many bytes of files the gateway keeps for an account of this plan. */
export const storedBytesOf = (plan: Plan): number => STORED_BYTES[plan]

const SCHEME = 'media:'

/** A stored file in the place of a URL: not an address, so that nothing can be dialled under it. */
export const mediaUrl = (id: string): string => `${SCHEME}${id}`

/** The stored file that a message names; `undefined` for a URL. */
export const mediaIdOf = (url: string): string | undefined =>
  url.startsWith(`${SCHEME}med_`) ? url.slice(SCHEME.length) : undefined

/**
 * `incoming`: its bytes are arriving. `ready`: the gateway has them. `remote`: the platform has them, and the gateway
 * fetches them when a customer asks for the file.
 */
export type MediaState = 'incoming' | 'ready' | 'remote'

/** `folder`: a file in the folder for media. `database`: rows of the database. `s3`: an object of the operator's bucket. */
export type MediaPlace = 'folder' | 'database' | 's3'

/** What only the owner of a file may read. */
export interface MediaSecrets {
  filename: string | null
  /** Base64; `null` while the gateway does not have the bytes. */
  key: string | null
  /** Base64: how the platform finds a received file. Opaque to all code but the platform. */
  source: string | null
}
