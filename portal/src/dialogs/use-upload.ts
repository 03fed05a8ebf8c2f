import { useEffect, useRef, useState } from 'react'
import { MAX_UPLOAD_BYTES, upload } from '../api/upload.ts'
import { errorText } from '../error-text.ts'
import { t } from '../t.ts'

/** A file that is being uploaded, was uploaded, or was rejected. */
export type Chosen =
  | { state: 'coming'; file: File; share: number }
  | { state: 'there'; file: File; mediaUrl: string }
  | { state: 'refused'; file: File; why: string }

export interface Upload {
  chosen: Chosen | null
  choose: (file: File) => void
  forget: () => void
}

/** One file at a time: another one replaces the first, even during its upload. */
export function useUpload(): Upload {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const coming = useRef<AbortController>(null)
  useEffect(() => () => coming.current?.abort(), [])
  const forget = () => {
    coming.current?.abort()
    setChosen(null)
  }
  const choose = (file: File) => {
    forget()
    const why = whyNot(file)
    if (why !== null) return setChosen({ state: 'refused', file, why })
    const { signal } = (coming.current = new AbortController())
    const show = (next: Chosen) => {
      if (!signal.aborted) setChosen(next)
    }
    show({ state: 'coming', file, share: 0 })
    upload(file, { signal, onProgress: share => show({ state: 'coming', file, share }) }).then(
      ({ media_url: mediaUrl }) => show({ state: 'there', file, mediaUrl }),
      (error: unknown) => show({ state: 'refused', file, why: errorText(error) }),
    )
  }
  return { chosen, choose, forget }
}

function whyNot({ size }: File): string | null {
  if (size === 0) return t('The file is empty.')
  return size > MAX_UPLOAD_BYTES ? t('The file is larger than 64 MB. Choose a smaller one.') : null
}
