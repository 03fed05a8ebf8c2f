import { FileText, MapPin, Mic } from 'lucide-react'
import type { SandboxMessage } from '../api/records.ts'
import { preview } from './chats.ts'
import { Poll } from './poll.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

interface BubbleContentProps {
  message: SandboxMessage
  sandbox: Sandbox
}

/** The content of a message of any kind. */
export function BubbleContent({ message, sandbox }: BubbleContentProps) {
  const answer = (button: { id: string; text: string }) =>
    void sandbox.write({
      type: 'button_response',
      button_response: button,
      quoted_message_id: message.message_id,
    })
  return (
    <>
      {message.media && <Media message={message} media={message.media} />}
      {message.location && <Location location={message.location} />}
      {message.text !== '' && !message.poll && !message.location && (
        <p className="break-words whitespace-pre-wrap">{message.text}</p>
      )}
      {message.poll && <Poll poll={message.poll} messageId={message.message_id} sandbox={sandbox} />}
      {message.buttons?.map(button => (
        <button
          key={button.id}
          type="button"
          onClick={() => answer(button)}
          className="mt-1 block w-full rounded-lg border border-line-strong px-3 py-1.5 font-medium text-accent-strong hover:bg-raised"
        >
          {button.text}
        </button>
      ))}
      {isBare(message) && <p className="text-ink/80 italic">{message.type}</p>}
    </>
  )
}

const isBare = (message: SandboxMessage) =>
  message.text === '' && !message.media && !message.location && !message.poll && !message.buttons?.length

function Location({ location }: { location: NonNullable<SandboxMessage['location']> }) {
  return (
    <p className="flex items-start gap-1.5">
      <MapPin size={15} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        {location.name || t('Location')}
        <span className="block text-[12px] text-ink/80">
          {location.latitude}, {location.longitude}
        </span>
      </span>
    </p>
  )
}

const PICTURES = /^image\/(png|jpeg|webp|gif)$/

function Media({ message, media }: { message: SandboxMessage; media: NonNullable<SandboxMessage['media']> }) {
  if (media.data && PICTURES.test(media.mimetype)) {
    return (
      <img
        src={`data:${media.mimetype};base64,${media.data}`}
        alt={message.text || t('Picture')}
        className="mb-1 max-h-56 rounded-lg object-contain"
      />
    )
  }
  const Icon = message.type === 'voice' || message.type === 'audio' ? Mic : FileText
  return (
    <p className="flex items-center gap-2 rounded-lg bg-ink/5 px-2.5 py-2">
      <Icon size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0">
        <span className="block truncate">{media.filename ?? preview({ ...message, text: '' })}</span>
        <span className="block text-[11px] text-ink/80">
          {t('{mimetype}, {value} KB', {
            mimetype: media.mimetype,
            value: Math.max(1, Math.round(media.file_length / 1024)),
          })}
        </span>
      </span>
    </p>
  )
}
