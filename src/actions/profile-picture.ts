import type { Context } from '../context.ts'
import type { Account } from '../domain/account.ts'
import { conflicting, missing, uploadNotForNumber, uploadNotKept } from '../domain/errors.ts'
import { mediaUrl } from '../domain/media.ts'
import { SANDBOX_PREFIX } from '../domain/session.ts'
import { uploadIdOf } from '../domain/upload.ts'
import { checkUrl, urlError } from '../net/target-url.ts'
import type { Store } from '../store/store.ts'
import { prolongUpload, useMedia } from './send-message.ts'

type Deps = Pick<Context, 'targets'> & { store: Pick<Store, 'media' | 'uploads'> }

interface Requester {
  account: Account
  sessionId: string
  sessionIds: readonly string[] | null
}

/** Where a number's worker finds the file of its new picture; throws 400 if it may not use it. */
export async function pictureSource(
  deps: Deps,
  requester: Requester,
  { media_id: id, media_url: url }: { media_id?: string; media_url?: string },
): Promise<string> {
  if (id !== undefined && url !== undefined)
    throw conflicting('media_id does not go with media_url: give one of them', 'media_id')
  if (id !== undefined) {
    const unusable = await useMedia(deps, requester, { id, type: 'image' }, null)
    if (unusable) throw unusable
    return mediaUrl(id)
  }
  if (url === undefined) throw missing('media_id or media_url is required', 'media_id')
  const uploadId = uploadIdOf(url)
  if (uploadId === undefined) {
    const verdict = checkUrl(url, { ...deps.targets, requireHttps: false })
    if (!verdict.ok) throw urlError('media_url', verdict.reason)
    return url
  }
  if (!requester.sessionId.startsWith(SANDBOX_PREFIX)) throw uploadNotForNumber()
  if (!(await prolongUpload(deps, requester, uploadId, null))) throw uploadNotKept()
  return url
}
