import { Segmented } from '../ui/segmented.tsx'
import { t } from '../t.ts'
import { FileField } from './file-field.tsx'
import { type ContentKind, filesFor } from './send-body.ts'
import type { FileSource } from './use-draft.ts'
import type { Upload } from './use-upload.ts'

const SOURCES = [
  { value: 'upload', label: t('Upload a file') },
  { value: 'url', label: t('From a URL') },
] as const

interface MediaSourceProps {
  kind: ContentKind
  file: { source: FileSource; setSource: (source: FileSource) => void; upload: Upload }
  isMissing: boolean
}

/** Where the file comes from, and the file itself where that is this computer. */
export function MediaSource({ kind, file: { source, setSource, upload }, isMissing }: MediaSourceProps) {
  return (
    <>
      <div className="flex">
        <Segmented label={t('File source')} value={source} choices={SOURCES} onChange={setSource} />
      </div>
      {source === 'upload' && <FileField upload={upload} accept={filesFor(kind) ?? ''} isMissing={isMissing} />}
    </>
  )
}
