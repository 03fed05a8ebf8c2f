import { accounts, type AccountRepository } from './accounts/repository.ts'
import { apiLog, type ApiLogRepository } from './api-log/repository.ts'
import { chats, type ChatRepository } from './chats/repository.ts'
import { commands, type CommandRepository } from './commands/repository.ts'
import { deliveries, type DeliveryRepository } from './deliveries/repository.ts'
import { devices, type DeviceRepository } from './devices/repository.ts'
import { endpoints, type EndpointRepository } from './endpoints/repository.ts'
import { erasures, type ErasureRepository } from './erasures/repository.ts'
import { events, type EventRepository } from './events/repository.ts'
import { hosting, type HostingRepository } from './hosting/repository.ts'
import { historyJobs, type HistoryJobRepository } from './history-jobs/repository.ts'
import { inbox, type InboxRepository } from './inbox/repository.ts'
import { keys, type KeyRepository } from './keys/repository.ts'
import { leases, type LeaseRepository } from './leases/repository.ts'
import { limits, type LimitRepository } from './limits/repository.ts'
import { listeners, type ListenerRepository } from './listeners/repository.ts'
import { media, type MediaRepository } from './media/repository.ts'
import { messages, type MessageRepository } from './messages/repository.ts'
import { movedNumbers, type MovedNumberRepository } from './moved-numbers/repository.ts'
import { moving, type MovingRepository } from './moving/repository.ts'
import { nodes, type NodeRepository } from './nodes/repository.ts'
import { pairings, type PairingRepository } from './pairings/repository.ts'
import { platformVersions, type PlatformVersionRepository } from './platform-versions/repository.ts'
import { replays, type ReplayRepository } from './replays/repository.ts'
import { requests, type RequestRepository } from './requests/repository.ts'
import { resealing, type ResealingRepository } from './resealing/repository.ts'
import { retention, type RetentionRepository } from './retention/repository.ts'
import { sessions, type SessionRepository } from './sessions/repository.ts'
import { settings, type SettingRepository } from './settings/repository.ts'
import { shards, type ShardRepository } from './shards/repository.ts'
import { simulator, type SimulatorRepository } from './simulator/repository.ts'
import { traces, type TraceRepository } from './traces/repository.ts'
import { uploads, type UploadRepository } from './uploads/repository.ts'
import { usage, type UsageRepository } from './usage/repository.ts'
import { users, type UserRepository } from './users/repository.ts'
import { webhooks, type WebhookRepository } from './webhooks/repository.ts'
import type { Methods } from './repository.ts'

/** One repository for each kind of data. Each folder holds its queries, row types and this list of methods. */
export interface Repositories {
  accounts: AccountRepository
  apiLog: ApiLogRepository
  chats: ChatRepository
  commands: CommandRepository
  deliveries: DeliveryRepository
  devices: DeviceRepository
  endpoints: EndpointRepository
  erasures: ErasureRepository
  events: EventRepository
  hosting: HostingRepository
  historyJobs: HistoryJobRepository
  inbox: InboxRepository
  keys: KeyRepository
  leases: LeaseRepository
  limits: LimitRepository
  listeners: ListenerRepository
  media: MediaRepository
  messages: MessageRepository
  movedNumbers: MovedNumberRepository
  moving: MovingRepository
  nodes: NodeRepository
  pairings: PairingRepository
  platformVersions: PlatformVersionRepository
  replays: ReplayRepository
  requests: RequestRepository
  resealing: ResealingRepository
  retention: RetentionRepository
  sessions: SessionRepository
  settings: SettingRepository
  shards: ShardRepository
  simulator: SimulatorRepository
  traces: TraceRepository
  uploads: UploadRepository
  usage: UsageRepository
  users: UserRepository
  webhooks: WebhookRepository
}

/** The functions of all repositories, by which a thread finds the one to run. */
export const repositories = {
  accounts,
  apiLog,
  chats,
  commands,
  deliveries,
  devices,
  endpoints,
  erasures,
  events,
  hosting,
  historyJobs,
  inbox,
  keys,
  leases,
  limits,
  listeners,
  media,
  messages,
  movedNumbers,
  moving,
  nodes,
  pairings,
  platformVersions,
  replays,
  requests,
  resealing,
  retention,
  sessions,
  settings,
  shards,
  simulator,
  traces,
  uploads,
  usage,
  users,
  webhooks,
}

export type RepositoryName = keyof typeof repositories

/** The compiler checks here that every method of an interface has its function. */
type Implemented = { [Name in RepositoryName]: Methods<(typeof repositories)[Name]> }
const isComplete: Implemented extends Repositories ? true : never = true
void isComplete
