import { CornerDownLeft, Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { lookUp } from '../look-up.ts'
import { classes } from '../ui/classes.ts'
import { useModal } from '../ui/use-modal.ts'
import { type Command, useCommands } from './palette-commands.ts'
import { t } from '../t.ts'

/** Go anywhere, find anything by its id, number or error, start the usual things. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useModal()
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const commands = useCommands(text.trim())
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const step = lookUp({ ArrowDown: 1, ArrowUp: -1 }, event.key)
    if (step !== undefined) setAt((at + step + commands.length) % Math.max(1, commands.length))
    else if (event.key === 'Enter') run(commands[at])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      aria-label={t('Commands')}
      onCancel={onClose}
      onKeyDown={onKeyDown}
      onClick={event => event.target === dialog.current && onClose()}
      className="mt-[12vh] w-[calc(100vw-32px)] max-w-xl overflow-hidden rounded-xl border bg-surface p-0 shadow-2xl"
    >
      <div className="flex items-center gap-3 border-b px-4">
        <Search size={17} aria-hidden className="text-muted" />
        <input
          autoFocus
          role="combobox"
          aria-label={t('Search pages, commands and ids')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={commands.length > 0 ? `${id}-${at}` : undefined}
          placeholder={t('Go to, do, or find by id, number or error')}
          value={text}
          onChange={event => {
            setText(event.target.value)
            setAt(0)
          }}
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-muted"
        />
      </div>
      <Options id={id} commands={commands} at={at} onRun={run} />
    </dialog>
  )
}

interface OptionsProps {
  id: string
  commands: Command[]
  /** Which of them is chosen. */
  at: number
  onRun: (command: Command) => void
}

function Options({ id, commands, at, onRun }: OptionsProps) {
  return (
    <>
      <ul id={`${id}-list`} role="listbox" aria-label={t('Commands')} className="max-h-[50vh] overflow-y-auto p-2">
        {commands.map((command, index) => (
          <Option
            key={command.group + (command.key ?? command.name)}
            id={`${id}-${index}`}
            command={command}
            active={index === at}
            onRun={() => onRun(command)}
          />
        ))}
      </ul>
      {commands.length === 0 && (
        <p className="px-5 pt-2 pb-6 text-muted">
          {t('No results. Try an id, a number, a request id, an error or its code.')}
        </p>
      )}
    </>
  )
}

function Option({ id, command, active, onRun }: { id: string; command: Command; active: boolean; onRun: () => void }) {
  const Icon = command.icon
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (active) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <li
      ref={ref}
      id={id}
      role="option"
      aria-selected={active}
      onClick={onRun}
      className={classes(
        'flex h-10 cursor-pointer items-center gap-3 rounded-lg px-3',
        active ? 'bg-accent-soft' : 'hover:bg-raised',
      )}
    >
      <Icon size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{command.name}</span>
      <span className="text-[12px] text-muted">{command.group}</span>
      {active && <CornerDownLeft size={14} aria-hidden className="text-muted" />}
    </li>
  )
}
