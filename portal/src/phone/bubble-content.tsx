import {
  CalendarDays,
  Copy,
  ExternalLink,
  FileText,
  Forward,
  Image as ImageIcon,
  MapPin,
  Mic,
  Phone,
} from 'lucide-react'
import type { SandboxMessage } from '../api/records.ts'
import { preview } from './chats.ts'
import { Poll } from './poll.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'
import { localTime } from '../ui/time.tsx'

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
      {message.forwarded && (
        <p className="flex items-center gap-1 text-[11px] text-ink/80 italic">
          <Forward size={12} aria-hidden />
          {t('Forwarded')}
        </p>
      )}
      {message.media && <Media message={message} media={message.media} />}
      {message.location && <Location location={message.location} />}
      {message.text !== '' && !message.poll && !message.location && (
        <p className="break-words whitespace-pre-wrap">{message.text}</p>
      )}
      {message.poll && <Poll poll={message.poll} messageId={message.message_id} sandbox={sandbox} />}
      {message.event && <CalendarEvent event={message.event} isChange={message.type === 'event_change'} />}
      {message.buttons && <Buttons buttons={message.buttons} onAnswer={answer} />}
      {message.cards?.map((card, at) => (
        // oxlint-disable-next-line react/no-array-index-key: cards may be equal, and never change
        <section key={at} className="mt-2 rounded-lg border border-line-strong p-2">
          {card.has_picture && (
            <p className="flex items-center gap-1.5 text-[12px] text-ink/80">
              <ImageIcon size={13} aria-hidden />
              {t('Picture')}
            </p>
          )}
          {card.title !== '' && <p className="font-medium">{card.title}</p>}
          <p className="break-words whitespace-pre-wrap">{card.text}</p>
          <Buttons buttons={card.buttons} onAnswer={answer} />
        </section>
      ))}
      {isBare(message) && <p className="text-ink/80 italic">{preview(message)}</p>}
    </>
  )
}

interface ButtonsProps {
  buttons: NonNullable<SandboxMessage['buttons']>
  onAnswer: (button: { id: string; text: string }) => void
}

function Buttons({ buttons, onAnswer }: ButtonsProps) {
  return buttons.map(({ id, type, text, url, phone, code }) =>
    type === undefined ? (
      <button
        key={id}
        type="button"
        onClick={() => onAnswer({ id: id ?? '', text })}
        className={`${BUTTON} hover:bg-raised`}
      >
        {text}
      </button>
    ) : (
      <p key={`${type} ${text}`} className={BUTTON}>
        <Link type={type} />
        {text}
        <span className="block text-[11px] font-normal break-all text-ink/80">{url ?? phone ?? code}</span>
      </p>
    ),
  )
}

const BUTTON =
  'mt-1 block w-full rounded-lg border border-line-strong px-3 py-1.5 text-center font-medium text-accent-strong'

/** What a button does on the phone. */
function Link({ type }: { type: 'url' | 'call' | 'copy' }) {
  const Icon = { url: ExternalLink, call: Phone, copy: Copy }[type]
  return <Icon size={13} aria-hidden className="mr-1.5 inline" />
}

interface CalendarEventProps {
  event: NonNullable<SandboxMessage['event']>
  isChange: boolean
}

function CalendarEvent({ event, isChange }: CalendarEventProps) {
  return (
    <p className="flex items-start gap-1.5">
      <CalendarDays size={15} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        {isChange && (
          <span className="block font-medium">
            {event.canceled ? t('Cancelled ¦ an event') : t('Changed ¦ of an event')}
          </span>
        )}
        {localTime(new Date(event.start_unix * 1000).toISOString())}
        {event.place && <span className="block text-[12px] text-ink/80">{event.place}</span>}
        {event.description && <span className="block">{event.description}</span>}
      </span>
    </p>
  )
}

const isBare = (message: SandboxMessage) =>
  message.text === '' &&
  !message.media &&
  !message.location &&
  !message.poll &&
  !message.buttons?.length &&
  !message.cards

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
