import { Check, CheckCheck, EllipsisVertical, FileText, MapPin, Mic } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import type { SandboxMessage } from '../api/records.ts'
import { classes } from '../ui/classes.ts'
import { preview } from './chats.ts'
import { MenuContent, MenuItem } from './menu.tsx'
import type { Sandbox } from './use-sandbox.ts'

interface BubbleProps {
  message: SandboxMessage
  reactions: readonly string[]
  quoted: SandboxMessage | undefined
  sandbox: Sandbox
  onReply: () => void
}

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

export function Bubble({ message, reactions, quoted, sandbox, onReply }: BubbleProps) {
  const mine = message.from_me
  return (
    <article
      className={classes(
        'group flex items-start gap-1',
        mine ? 'flex-row-reverse' : '',
        reactions.length > 0 && 'mb-3',
      )}
    >
      <div
        className={classes(
          'relative max-w-[82%] rounded-xl px-2.5 py-1.5 text-[13px] shadow-xs',
          mine ? 'rounded-tr-sm bg-bubble' : 'rounded-tl-sm bg-bubble-other',
        )}
      >
        {message.quoted_message_id && (
          <p className="mb-1 truncate rounded border-l-2 border-accent bg-ink/5 px-2 py-1 text-[12px] text-ink/80">
            {quoted ? preview(quoted) : 'A message that is not here'}
          </p>
        )}
        <Content message={message} sandbox={sandbox} />
        <p className="mt-0.5 flex items-center justify-end gap-1 text-[11px] text-ink/80">
          {message.copies > 1 && (
            <span title="The gateway sent it more than once; the phone shows it once">×{message.copies}</span>
          )}
          {hour.format(new Date(message.timestamp_unix * 1000))}
          {mine && <Ticks status={message.status} />}
        </p>
        {reactions.length > 0 && (
          <span className="absolute -bottom-3 left-2 rounded-full border bg-surface px-1.5 text-[13px]">
            {reactions.join('')}
          </span>
        )}
      </div>
      <BubbleMenu message={message} sandbox={sandbox} onReply={onReply} />
    </article>
  )
}

/** The true receipts: one tick sent, two delivered, coloured read. */
function Ticks({ status }: { status: SandboxMessage['status'] }) {
  if (status === 'sent') return <Check size={14} aria-label="Sent" />
  if (status === 'delivered') return <CheckCheck size={14} aria-label="Delivered" />
  return <CheckCheck size={14} aria-label={status === 'read' ? 'Read' : 'Played'} className="text-tick" />
}

function Content({ message, sandbox }: { message: SandboxMessage; sandbox: Sandbox }) {
  return (
    <>
      {message.media && <Media message={message} />}
      {message.location && (
        <p className="flex items-start gap-1.5">
          <MapPin size={15} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            {message.location.name || 'Location'}
            <span className="block text-[12px] text-ink/80">
              {message.location.latitude}, {message.location.longitude}
            </span>
          </span>
        </p>
      )}
      {message.text !== '' && !message.poll && !message.location && (
        <p className="break-words whitespace-pre-wrap">{message.text}</p>
      )}
      {message.poll && <Poll message={message} poll={message.poll} sandbox={sandbox} />}
      {message.buttons?.map(button => (
        <button
          key={button.id}
          type="button"
          onClick={() =>
            void sandbox.write({
              type: 'button_response',
              button_response: button,
              quoted_message_id: message.message_id,
            })
          }
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

const PICTURES = /^image\/(png|jpeg|webp|gif)$/

function Media({ message }: { message: SandboxMessage }) {
  const media = message.media!
  if (media.data && PICTURES.test(media.mimetype)) {
    return (
      <img
        src={`data:${media.mimetype};base64,${media.data}`}
        alt={message.text || 'Picture'}
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
          {media.mimetype}, {Math.max(1, Math.round(media.file_length / 1024))} KB
        </span>
      </span>
    </p>
  )
}

function Poll({
  message,
  poll,
  sandbox,
}: {
  message: SandboxMessage
  poll: NonNullable<SandboxMessage['poll']>
  sandbox: Sandbox
}) {
  const [chosen, setChosen] = useState<string[]>([])
  const vote = (option: string) => {
    const without = chosen.filter(other => other !== option)
    const next = chosen.includes(option) ? without : poll.selectable_count === 1 ? [option] : [...chosen, option]
    setChosen(next)
    void sandbox.act({ action: 'vote', message_id: message.message_id, options: next })
  }
  return (
    <fieldset className="min-w-44">
      <legend className="mb-1 font-medium">{poll.name}</legend>
      {poll.options.map(option => (
        <label key={option} className="flex items-center gap-2 py-0.5">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={() => vote(option)}
            className="size-4 accent-accent"
          />
          {option}
        </label>
      ))}
    </fieldset>
  )
}

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** What a long press offers on a real phone. */
function BubbleMenu({ message, sandbox, onReply }: { message: SandboxMessage; sandbox: Sandbox; onReply: () => void }) {
  const react = (emoji: string) =>
    void sandbox.write({ type: 'reaction', text: emoji, reacted_message_id: message.message_id })
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label="Reply or react"
        className="grid size-6 shrink-0 place-items-center rounded-full text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:bg-surface data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      >
        <EllipsisVertical size={14} aria-hidden />
      </DropdownMenu.Trigger>
      <MenuContent align="center" sideOffset={4}>
        <DropdownMenu.Group className="flex">
          {EMOJI.map(emoji => (
            <DropdownMenu.Item
              key={emoji}
              aria-label={`React with ${emoji}`}
              onSelect={() => react(emoji)}
              className="grid size-8 cursor-pointer place-items-center rounded outline-none data-[highlighted]:bg-accent-soft"
            >
              {emoji}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Group>
        <MenuItem small onSelect={() => react('')}>
          Take the reaction back
        </MenuItem>
        <MenuItem small onSelect={onReply}>
          Reply
        </MenuItem>
        {!message.from_me && (
          <MenuItem small onSelect={() => void sandbox.act({ action: 'read', message_id: message.message_id })}>
            Read it now
          </MenuItem>
        )}
        {!message.from_me && (message.type === 'voice' || message.type === 'audio' || message.type === 'video') && (
          <MenuItem small onSelect={() => void sandbox.act({ action: 'play', message_id: message.message_id })}>
            Play it
          </MenuItem>
        )}
        {message.from_me && (
          <MenuItem
            small
            onSelect={() => void sandbox.write({ type: 'revoke', revoked_message_id: message.message_id })}
          >
            Delete for everyone
          </MenuItem>
        )}
      </MenuContent>
    </DropdownMenu.Root>
  )
}
