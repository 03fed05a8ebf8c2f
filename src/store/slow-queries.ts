import type { TransactionName } from './run-transaction.ts'
import type { repositories, RepositoryName } from './repositories.ts'

type Functions<Name extends RepositoryName> = (typeof repositories)[Name]
type Names<Name extends RepositoryName> = keyof Functions<Name>['reads'] | keyof Functions<Name>['writes']

/** Queries that scan much of a table. No request waits for these, so they have a longer timeout. */
const SLOW: { [Name in RepositoryName]?: ReadonlyArray<Names<Name>> } = {
  commands: ['readQueueDepth'],
  deliveries: ['readDeliveryDepth'],
  inbox: ['readPoison'],
  replays: ['advanceReplay', 'countReplayable', 'createReplay'],
  resealing: ['readSealedUnder', 'replaceSealed'],
  retention: ['dropExpired', 'dropExpiredHistory', 'dropExpiredHosting', 'dropExpiredRows'],
  sessions: ['forgetSession'],
  usage: ['foldUsage', 'readStats'],
  webhooks: ['deleteWebhook'],
}

export const isSlow = ({ repository, name }: TransactionName): boolean =>
  (SLOW[repository] as readonly string[] | undefined)?.includes(name) === true
