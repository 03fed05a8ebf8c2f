import { EllipsisVertical } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { SandboxMessage } from '../api/records.ts'
import { MenuContent, MenuItem } from './menu.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏']

interface BubbleMenuProps {
  message: SandboxMessage
  sandbox: Sandbox
  onReply: () => void
}

/** The menu that a long press opens on a real phone. */
export function BubbleMenu({ message, sandbox, onReply }: BubbleMenuProps) {
  const react = (emoji: string) =>
    void sandbox.write({ type: 'reaction', text: emoji, reacted_message_id: message.message_id })
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={t('Reply or react')}
        className="grid size-6 shrink-0 place-items-center rounded-full text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:bg-surface data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      >
        <EllipsisVertical size={14} aria-hidden />
      </DropdownMenu.Trigger>
      <MenuContent align="center" sideOffset={4}>
        <DropdownMenu.Group className="flex">
          {EMOJI.map(emoji => (
            <DropdownMenu.Item
              key={emoji}
              aria-label={t('React with {emoji}', { emoji })}
              onSelect={() => react(emoji)}
              className="grid size-8 cursor-pointer place-items-center rounded outline-none data-[highlighted]:bg-accent-soft"
            >
              {emoji}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Group>
        <MenuItem small onSelect={() => react('')}>
          {t('Remove the reaction')}
        </MenuItem>
        <MenuItem small onSelect={onReply}>
          {t('Reply')}
        </MenuItem>
        {!message.from_me && (
          <MenuItem small onSelect={() => void sandbox.act({ action: 'read', message_id: message.message_id })}>
            {t('Read it now')}
          </MenuItem>
        )}
        {!message.from_me && (message.type === 'voice' || message.type === 'audio' || message.type === 'video') && (
          <MenuItem small onSelect={() => void sandbox.act({ action: 'play', message_id: message.message_id })}>
            {t('Play it')}
          </MenuItem>
        )}
        {message.from_me && (
          <MenuItem
            small
            onSelect={() => void sandbox.write({ type: 'revoke', revoked_message_id: message.message_id })}
          >
            {t('Delete for everyone')}
          </MenuItem>
        )}
      </MenuContent>
    </DropdownMenu.Root>
  )
}
