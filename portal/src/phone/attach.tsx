import { Paperclip } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { toast } from '../ui/toast.tsx'
import { MenuContent, MenuItem } from './menu.tsx'
import type { Sandbox } from './use-sandbox.ts'

/** What fits into one request once it is base64. */
const MAX_FILE_BYTES = 700_000
const VOICE_BYTES = 9_000

/** Everything that a contact can send beside text. */
export function Attach({ sandbox }: { sandbox: Sandbox }) {
  const [open, setOpen] = useState<'location' | 'poll' | null>(null)
  const image = useRef<HTMLInputElement>(null)
  const document = useRef<HTMLInputElement>(null)
  const voice = () =>
    void sandbox.write({ type: 'voice', media: { mimetype: 'audio/ogg; codecs=opus', size: VOICE_BYTES } })
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label="Attach"
          className="grid size-9 shrink-0 place-items-center rounded-full text-muted hover:bg-raised hover:text-ink"
        >
          <Paperclip size={17} aria-hidden />
        </DropdownMenu.Trigger>
        <MenuContent align="start" side="top" sideOffset={6}>
          <MenuItem onSelect={() => image.current?.click()}>Picture</MenuItem>
          <MenuItem onSelect={() => document.current?.click()}>Document</MenuItem>
          <MenuItem onSelect={voice}>Voice message</MenuItem>
          <MenuItem onSelect={() => setOpen('location')}>Location</MenuItem>
          <MenuItem onSelect={() => setOpen('poll')}>Poll</MenuItem>
          <MenuItem onSelect={() => void sandbox.write({ type: 'contact' })}>Contact card</MenuItem>
        </MenuContent>
      </DropdownMenu.Root>
      <FilePicker
        label="Picture to send"
        input={image}
        accept="image/*"
        onFile={file => void sendFile(sandbox, 'image', file)}
      />
      <FilePicker
        label="Document to send"
        input={document}
        accept="*/*"
        onFile={file => void sendFile(sandbox, 'document', file)}
      />
      {open === 'location' && <SendLocation sandbox={sandbox} onClose={() => setOpen(null)} />}
      {open === 'poll' && <SendPoll sandbox={sandbox} onClose={() => setOpen(null)} />}
    </>
  )
}

interface FilePickerProps {
  label: string
  input: RefObject<HTMLInputElement | null>
  accept: string
  onFile: (file: File) => void
}

function FilePicker({ label, input, accept, onFile }: FilePickerProps) {
  return (
    <input
      ref={input}
      type="file"
      hidden
      aria-label={label}
      accept={accept}
      onChange={event => {
        const file = event.target.files?.[0]
        if (file) onFile(file)
        event.target.value = ''
      }}
    />
  )
}

async function sendFile(sandbox: Sandbox, type: 'image' | 'document', file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES)
    return toast.failed(
      'From here a file may have 700 KB. Larger ones can be sent through the sandbox API with a size.',
    )
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

interface SendProps {
  sandbox: Sandbox
  onClose: () => void
}

function SendLocation({ sandbox, onClose }: SendProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void sandbox.write({
      type: 'location',
      location: {
        latitude: Number(form.get('latitude')),
        longitude: Number(form.get('longitude')),
        name: String(form.get('name')),
      },
    })
    onClose()
  }
  return (
    <Dialog title="Send a location" onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField label="Name" name="name" defaultValue="Brandenburg Gate" />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Latitude"
            name="latitude"
            type="number"
            step="any"
            min={-90}
            max={90}
            required
            defaultValue="52.5163"
          />
          <TextField
            label="Longitude"
            name="longitude"
            type="number"
            step="any"
            min={-180}
            max={180}
            required
            defaultValue="13.3777"
          />
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function SendPoll({ sandbox, onClose }: SendProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const options = String(form.get('options'))
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
    void sandbox.write({ type: 'poll', poll: { name: String(form.get('name')), options, selectable_count: 1 } })
    onClose()
  }
  return (
    <Dialog title="Send a poll" onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField label="Question" name="name" required maxLength={255} defaultValue="When shall we meet?" />
        <TextArea
          label="Options"
          name="options"
          required
          rows={4}
          defaultValue={'Today\nTomorrow'}
          hint="One per line, 2 to 12."
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
