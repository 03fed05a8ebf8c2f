import { FileUp, X } from 'lucide-react'
import { type DragEvent, useEffect, useId, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { fileSize, percent } from '../ui/numbers-format.ts'
import { t } from '../t.ts'
import type { Chosen, Upload } from './use-upload.ts'

interface FileFieldProps {
  upload: Upload
  accept: string
  /** The form was submitted without the file. */
  isMissing: boolean
}

/** A file of this computer, chosen or dropped here. The upload starts at once. */
export function FileField({ upload: { chosen, choose, forget, limit }, accept, isMissing }: FileFieldProps) {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const why = chosen?.state === 'refused' ? chosen.why : isMissing ? t('Choose a file first.') : null
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    const file = event.dataTransfer.files[0]
    if (file) choose(file)
  }
  return (
    <div className="min-w-0">
      <span className="mb-1.5 block font-medium">{t('File')}</span>
      <div
        onDragOver={event => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={classes(
          'relative flex min-h-20 items-center gap-3 rounded-lg border border-dashed px-4 py-3',
          'has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-accent',
          isOver ? 'border-accent bg-accent-soft' : why ? 'border-danger' : 'border-line-strong bg-surface',
        )}
      >
        <input
          id={id}
          type="file"
          aria-label={t('File')}
          accept={accept}
          aria-describedby={`${id}-hint`}
          aria-invalid={why ? true : undefined}
          onChange={event => {
            const file = event.target.files?.[0]
            if (file) choose(file)
            event.target.value = ''
          }}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
        />
        {chosen === null ? <Invitation /> : <ChosenFile chosen={chosen} onForget={forget} />}
      </div>
      <p id={`${id}-hint`} className={classes('mt-1.5 text-[13px]', why ? 'text-danger' : 'text-muted')}>
        {why ??
          t('At most {size}. The gateway keeps the file for as long as it keeps your delivery history.', {
            size: limit.name,
          })}
      </p>
    </div>
  )
}

function Invitation() {
  return (
    <>
      <FileUp size={20} aria-hidden className="shrink-0 text-muted" />
      <span>
        <span className="font-medium text-accent">{t('Choose a file')}</span>
        <span className="text-muted max-sm:hidden"> {t('or drop it here')}</span>
      </span>
    </>
  )
}

function ChosenFile({ chosen, onForget }: { chosen: Chosen; onForget: () => void }) {
  const { file } = chosen
  return (
    <>
      <Preview file={file} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{file.name}</p>
        <p role="status" className="text-[13px] text-muted">
          {fileSize(file.size)} · {wordOf(chosen)}
        </p>
        {chosen.state === 'coming' && (
          <progress aria-label={t('Upload')} max={1} value={chosen.share} className="progress mt-1 h-1.5 w-full" />
        )}
      </div>
      <IconButton label={t('Remove the file')} icon={X} onClick={onForget} className="relative" />
    </>
  )
}

function wordOf(chosen: Chosen): string {
  if (chosen.state === 'there') return t('Uploaded')
  return chosen.state === 'refused' ? t('Not uploaded') : t('{share} uploaded', { share: percent(chosen.share, 1) })
}

/** The preview of a picture, or an icon for any other file. */
function Preview({ file }: { file: File }) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!/^image\/(png|jpeg|gif|webp|bmp|avif)$/.test(file.type)) return setUrl(null)
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  if (url === null) return <FileUp size={20} aria-hidden className="shrink-0 text-muted" />
  return <img src={url} alt="" className="size-12 shrink-0 rounded-md border object-cover" />
}
