import { Paperclip } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { MenuContent, MenuItem } from './menu.tsx'
import { sendFile } from './send-file.ts'
import { SendLocation } from './send-location.tsx'
import { SendPoll } from './send-poll.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

const VOICE_BYTES = 9_000

/** Everything besides text that a contact can send. */
export function Attach({ sandbox }: { sandbox: Sandbox }) {
  const [open, setOpen] = useState<'location' | 'poll' | null>(null)
  const image = useRef<HTMLInputElement>(null)
  const document = useRef<HTMLInputElement>(null)
  const trigger = useFocusAfter(open !== null)
  const voice = () =>
    void sandbox.write({ type: 'voice', media: { mimetype: 'audio/ogg; codecs=opus', size: VOICE_BYTES } })
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          ref={trigger}
          aria-label={t('Attach')}
          className="grid size-9 shrink-0 place-items-center rounded-full text-muted hover:bg-raised hover:text-ink"
        >
          <Paperclip size={17} aria-hidden />
        </DropdownMenu.Trigger>
        <MenuContent align="start" side="top" sideOffset={6}>
          <MenuItem onSelect={() => image.current?.click()}>{t('Picture')}</MenuItem>
          <MenuItem onSelect={() => document.current?.click()}>{t('Document')}</MenuItem>
          <MenuItem onSelect={voice}>{t('Voice message')}</MenuItem>
          <MenuItem onSelect={() => setOpen('location')}>{t('Location')}</MenuItem>
          <MenuItem onSelect={() => setOpen('poll')}>{t('Poll')}</MenuItem>
          <MenuItem onSelect={() => void sandbox.write({ type: 'contact' })}>{t('Contact card')}</MenuItem>
        </MenuContent>
      </DropdownMenu.Root>
      <FilePicker
        label={t('Picture to send')}
        input={image}
        accept="image/*"
        onFile={file => void sendFile(sandbox, 'image', file)}
      />
      <FilePicker
        label={t('Document to send')}
        input={document}
        accept="*/*"
        onFile={file => void sendFile(sandbox, 'document', file)}
      />
      {open === 'location' && <SendLocation sandbox={sandbox} onClose={() => setOpen(null)} />}
      {open === 'poll' && <SendPoll sandbox={sandbox} onClose={() => setOpen(null)} />}
    </>
  )
}

/** The menu item that opened the dialog no longer exists when it closes, so the focus goes to the menu button. */
function useFocusAfter(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
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
