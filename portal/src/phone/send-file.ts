import { toast } from '../ui/toast.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

/** What fits into one request once it is base64. */
const MAX_FILE_BYTES = 700_000

export async function sendFile(sandbox: Sandbox, type: 'image' | 'document', file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES)
    return toast.failed(t('Here a file may have up to 700 KB. For a larger one, call the sandbox API and give a size.'))
  const data = await toBase64(file)
  const mimetype = file.type || 'application/octet-stream'
  await sandbox.write({ type, media: { mimetype, data, ...(type === 'document' && { filename: file.name }) } })
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
