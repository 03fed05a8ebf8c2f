import { Type } from '../type.ts'
import { pictureSource } from '../../actions/profile-picture.ts'
import { PICTURE_SIZES, type Picture } from '../../domain/contact.ts'
import type { Deps } from '../deps.ts'
import type { Identity } from '../identity.ts'
import { Nullable, OneOf, Strict } from '../schemas.ts'

/** Pictures of people, groups and channels. */
export const PictureQuery = Strict({
  size: Type.Optional(
    OneOf(PICTURE_SIZES, { default: 'full', description: '`preview` has about 96 pixels, `full` up to 640.' }),
  ),
})

export const PictureFile = Strict({
  id: Type.String(),
  mimetype: Type.String({ examples: ['image/jpeg'] }),
  file_length: Type.Integer({ description: 'In bytes.' }),
  data: Type.String({ description: 'The file in base64.' }),
})

export const showPicture = ({ id, mimetype, bytes, data }: Picture) => ({ id, mimetype, file_length: bytes, data })

export const NewPicture = Strict({
  media_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'A picture that you uploaded with POST /v1/media.' }),
  ),
  media_url: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'The URL from which the gateway fetches the picture.' }),
  ),
})

export const ChangedPicture = Strict({
  jid: Type.String(),
  picture_id: Nullable(Type.String({ description: 'Null if there is no picture now.' })),
})

export const NEW_PICTURE_NOTE =
  'A JPEG, PNG or WebP of up to 16 MiB, as `media_id` or `media_url`. The gateway cuts out the middle and makes it 640 pixels wide and high, which is what WhatsApp takes.'

interface Given {
  media_id?: string
  media_url?: string
}

/** Checks a picture as far as the gateway can; returns what the number's worker fetches it by. */
export async function pictureUrlOf(deps: Deps, identity: Identity, id: string, given: Given): Promise<string> {
  const session = await deps.sessions.own(identity, 'id', id)
  const requester = { account: identity.account, sessionId: session.id, sessionIds: identity.sessionIds }
  return await pictureSource(deps, requester, given)
}
