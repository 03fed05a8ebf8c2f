import { useEffect, useRef, useState } from 'react'
import { type SizeLimit, upload } from '../api/upload.ts'
import { errorText } from '../error-text.ts'
import { t } from '../t.ts'

/** A file that is being uploaded, was uploaded, or was rejected. */
export type Chosen =
  | { state: 'coming'; file: File; share: number }
  | { state: 'there'; file: File; mediaId: string }
  | { state: 'refused'; file: File; why: string }

export interface Upload {
  limit: SizeLimit
  chosen: Chosen | null
  choose: (file: File) => void
  forget: () => void
}

/** One file at a time: another one replaces the first, even during its upload. */
export function useUpload(limit: SizeLimit): Upload {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const coming = useRef<AbortController>(null)
  useEffect(() => () => coming.current?.abort(), [])
  const forget = () => {
    coming.current?.abort()
    setChosen(null)
  }
  const choose = (file: File) => {
    forget()
    const why = whyNot(file, limit)
    if (why !== null) return setChosen({ state: 'refused', file, why })
    const { signal } = (coming.current = new AbortController())
    const show = (next: Chosen) => {
      if (!signal.aborted) setChosen(next)
    }
    show({ state: 'coming', file, share: 0 })
    upload(file, { signal, onProgress: share => show({ state: 'coming', file, share }) }).then(
      ({ id: mediaId }) => show({ state: 'there', file, mediaId }),
      (error: unknown) => show({ state: 'refused', file, why: errorText(error) }),
    )
  }
  return { limit, chosen, choose, forget }
}

function whyNot({ size }: File, { bytes, name }: SizeLimit): string | null {
  if (size === 0) return t('The file is empty.')
  if (size <= bytes) return null
  return t('The file is larger than {size}. Choose a smaller one.', { size: name })
}
