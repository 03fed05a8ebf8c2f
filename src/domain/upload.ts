import { randomSlice } from '../runtime/random.ts'

/** So much of an upload is one row of the store. */
export const UPLOAD_PART_BYTES = 262_144

const ID_BYTES = 18
const SCHEME = 'sandbox-upload:'
const URL_SHAPE = /^sandbox-upload:([\w-]{24})$/

/** Nobody can guess it: whoever has the id was given it. */
export const makeUploadId = (): string => randomSlice(ID_BYTES).toString('base64url')

/** What stands in `media_url` for a file that was uploaded: no address, so that nothing can be dialled under it. */
export const uploadUrl = (id: string): string => `${SCHEME}${id}`

/** The upload that a `media_url` stands for; `undefined` for every other one. */
export const uploadIdOf = (url: string): string | undefined => URL_SHAPE.exec(url)?.[1]

/** The name of a part: texts that sort as their numbers do. */
export const partName = (index: number): string => String(index).padStart(4, '0')

const FILE_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,63}$/
/** How clients send forms, and what some say of any body where nobody tells them. */
const FORMS = /^(multipart\/|application\/x-www-form-urlencoded\b)/

/** What a Content-Type says that a file is, without parameters; `undefined` where it says nothing that a file can be. */
export function fileTypeOf(contentType: string): string | undefined {
  const named = contentType.split(';')[0]!.trim().toLowerCase()
  return FILE_TYPE.test(named) && !FORMS.test(named) ? named : undefined
}

/** Whether it says that the body is a form, of which the file would be a part. */
export const isForm = (contentType: string): boolean => FORMS.test(contentType.trim().toLowerCase())
