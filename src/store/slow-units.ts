import type { UnitName } from './run-unit.ts'
import type { AllDoors } from './units.ts'

type Names<D extends keyof AllDoors> = keyof AllDoors[D]['reads'] | keyof AllDoors[D]['writes']

/** What goes through much of a table. Nobody waits for it; every other unit is done in a moment, or not at all. */
const SLOW: { [D in keyof AllDoors]?: ReadonlyArray<Names<D>> } = {
  accounts: ['readStats'],
  delivery: ['advanceReplay', 'sweepHistory'],
  hosting: ['dropOutlived', 'sweepHosting'],
  nodes: [
    'dropExpired',
    'foldUsage',
    'readDeliveryDepth',
    'readPoison',
    'readQueueDepth',
    'readSealedUnder',
    'replaceSealed',
  ],
  sessions: ['forgetSession'],
  webhooks: ['countReplayable', 'createReplay', 'deleteWebhook'],
}

export const isSlow = ({ door, name }: UnitName): boolean =>
  (SLOW[door] as readonly string[] | undefined)?.includes(name) === true
