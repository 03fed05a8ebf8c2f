import { randomSlice } from '../runtime/random.ts'

/** The size of one row of an upload in the store. */
export const UPLOAD_PART_BYTES = 262_144

const ID_BYTES = 18
const SCHEME = 'sandbox-upload:'
const URL_SHAPE = /^sandbox-upload:([\w-]{24})$/

/** Random, so that only its owner knows it. */
export const makeUploadId = (): string => randomSlice(ID_BYTES).toString('base64url')

/** The `media_url` of an uploaded file: not an address, so that nothing can be dialled under it. */
export const uploadUrl = (id: string): string => `${SCHEME}${id}`

/** The upload that a `media_url` names; `undefined` for any other URL. */
export const uploadIdOf = (url: string): string | undefined => URL_SHAPE.exec(url)?.[1]

/** The name of a part: the names sort as their numbers do. */
export const partName = (index: number): string => String(index).padStart(4, '0')

const FILE_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,63}$/
/** The types of HTML forms, which some clients send by default. */
const FORMS = /^(multipart\/|application\/x-www-form-urlencoded\b)/

/** The file type of a Content-Type header, without parameters; `undefined` if a file cannot have that type. */
export function fileTypeOf(contentType: string): string | undefined {
  const named = contentType.split(';')[0]!.trim().toLowerCase()
  return FILE_TYPE.test(named) && !FORMS.test(named) ? named : undefined
}

/** Whether the body is a form, with the file as a part of it. */
export const isForm = (contentType: string): boolean => FORMS.test(contentType.trim().toLowerCase())
