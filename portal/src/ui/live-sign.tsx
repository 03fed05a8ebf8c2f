import { classes } from './classes.ts'
import { t } from '../t.ts'

const WORDS = {
  up: [t('Live'), t('Changes appear at once.')],
  connecting: [t('Connecting'), t('Opening the live stream.')],
  down: [t('Reconnecting'), t('The live stream is down; trying again. What is shown may be old.')],
} as const

/** Shows whether the page receives live updates. */
export function LiveSign({ state, narrow = false }: { state: keyof typeof WORDS; narrow?: boolean }) {
  const [word, meaning] = WORDS[state]
  return (
    <span role="status" title={meaning} className="inline-flex h-8 items-center gap-2 px-2 text-[12px] text-muted">
      <span
        aria-hidden
        className={classes(
          'size-2 rounded-full',
          state === 'up' && 'bg-accent',
          state === 'connecting' && 'bg-waiting',
          state === 'down' && 'bg-danger',
        )}
      />
      <span className={narrow ? 'sr-only' : ''}>{word}</span>
    </span>
  )
}
