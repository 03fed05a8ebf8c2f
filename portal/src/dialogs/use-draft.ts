import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Session } from '../api/records.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { DOCUMENT_LIMIT, MEDIA_LIMIT } from '../api/upload.ts'
import { FIRST_CONTACT } from '../phone/chats.ts'
import { type ContentKind, type ContentValues, contentOf, filesFor, firstValues } from './send-body.ts'
import { curlOf, uploadCurl } from './send-curl.ts'
import { type Chosen, type Upload, useUpload } from './use-upload.ts'

/** Where the file of a message comes from. */
export type FileSource = 'upload' | 'url'

/** A message that is being written. */
export function useDraft(first: Session) {
  const sessions = useQuery(sessionsQuery).data ?? [first]
  const [from, setFrom] = useState(first.id)
  const session = sessions.find(({ id }) => id === from) ?? first
  const [to, setTo] = useState(first.platform === 'sandbox' ? FIRST_CONTACT : '')
  const [kind, setKind] = useState<ContentKind>('text')
  const [values, setValues] = useState(firstValues('text'))
  const [source, setSource] = useState<FileSource>('upload')
  const upload = useUpload(kind === 'document' ? DOCUMENT_LIMIT : MEDIA_LIMIT)
  const mayUpload = filesFor(kind) !== undefined
  const isUpload = mayUpload && source === 'upload'
  const given = isUpload ? withFile(values, upload.chosen) : values
  const body = { session_id: session.id, to, ...contentOf(kind, given) }
  const choose = (next: ContentKind) => {
    setKind(next)
    setValues(firstValues(next))
    upload.forget()
  }
  const shown = curlOf({ ...body, to: to || `+${FIRST_CONTACT}` })
  const curl = isUpload && upload.chosen ? `${uploadCurl(upload.chosen.file)}\n\n${shown}` : shown
  return {
    sessions,
    session,
    setFrom,
    to,
    setTo,
    kind,
    choose,
    values,
    setValues,
    body,
    curl,
    /** `null` if the content has no file. */
    file: mayUpload ? { source, setSource, upload } : null,
    awaits: isUpload ? awaitedOf(upload) : null,
  }
}

/** What is missing before the message can be sent. */
function awaitedOf({ chosen }: Upload): 'choice' | 'arrival' | null {
  if (chosen === null || chosen.state === 'refused') return 'choice'
  return chosen.state === 'coming' ? 'arrival' : null
}

function withFile(values: ContentValues, chosen: Chosen | null): ContentValues {
  return { ...values, media_url: '', media_id: chosen?.state === 'there' ? chosen.mediaId : '' }
}
