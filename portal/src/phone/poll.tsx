import { useState } from 'react'
import type { SandboxMessage } from '../api/records.ts'
import type { Sandbox } from './use-sandbox.ts'

interface PollProps {
  poll: NonNullable<SandboxMessage['poll']>
  messageId: string
  sandbox: Sandbox
}

/** A poll that the contact votes in. */
export function Poll({ poll, messageId, sandbox }: PollProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const vote = (option: string) => {
    const without = chosen.filter(other => other !== option)
    const next = chosen.includes(option) ? without : poll.selectable_count === 1 ? [option] : [...chosen, option]
    setChosen(next)
    void sandbox.act({ action: 'vote', message_id: messageId, options: next })
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
