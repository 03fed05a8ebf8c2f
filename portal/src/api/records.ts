import type { paths as portalPaths } from './portal-schema.d.ts'
import type { paths } from './schema.d.ts'

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never
type Events<R> = R extends { content: { 'text/event-stream': infer Data } } ? Data : never
type Answers<Operation> = Operation extends { responses: infer Responses } ? Responses : never
type Ok<Operation> = Json<Answers<Operation>[keyof Answers<Operation> & (200 | 201 | 202)]>
type Body<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never
type Item<List> = List extends { data: (infer One)[] } ? One : never

/** The records of the public API, under the names that the portal uses. */
export type Me = Ok<paths['/v1/me']['get']>
export type Limits = Me['limits']
export type Terms = Ok<paths['/v1/tos']['get']>
export type UsageDay = Item<Ok<paths['/v1/usage']['get']>>
export type ApiKey = Item<Ok<paths['/v1/keys']['get']>>
export type Scope = ApiKey['scopes'][number]
export type LoggedRequest = Item<Ok<paths['/v1/requests']['get']>>
export type RequestStatus = NonNullable<NonNullable<paths['/v1/requests']['get']['parameters']['query']>['status']>
export type Session = Item<Ok<paths['/v1/sessions']['get']>>
export type Health = Ok<paths['/v1/sessions/{id}/health']['get']>
export type GroupSummary = Item<Ok<paths['/v1/sessions/{id}/groups']['get']>>
export type Group = Ok<paths['/v1/sessions/{id}/groups/{jid}']['get']>
export type MemberOutcome = Item<Ok<paths['/v1/sessions/{id}/groups/{jid}/members']['post']>>
export type Chat = Item<Ok<paths['/v1/sessions/{id}/chats']['get']>>
export type ChatChange = Body<paths['/v1/sessions/{id}/chats/{jid}']['patch']>
export type Channel = Item<Ok<paths['/v1/sessions/{id}/newsletters']['get']>>
export type SessionState = Session['state']
export type Pace = NonNullable<Session['pace']>
export type Pairing = Ok<paths['/v1/pairings']['post']>
export type Webhook = Item<Ok<paths['/v1/webhooks']['get']>>
export type Endpoint = Item<Ok<paths['/v1/endpoints']['get']>>
export type EndpointKind = NonNullable<Endpoint['kinds']>[number]
export type TestResult = Item<Ok<paths['/v1/webhooks/{id}/test']['post']>>
export type Category = TestResult['category']
export type Message = Item<Ok<paths['/v1/messages']['get']>>
export type MessageState = Message['state']
export type MessageDetail = Ok<paths['/v1/messages/{id}']['get']>
export type Delivery = Item<Ok<paths['/v1/deliveries']['get']>>
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['event_type']
export type Attempt = Delivery['attempts'][number]
export type Replay = Ok<paths['/v1/webhooks/{id}/replay']['post']>
export type ListenedEvent = Item<Ok<paths['/v1/listeners/{id}/events']['get']>>
export type SandboxMessage = Item<Ok<paths['/sandbox/sessions/{id}/messages']['get']>>
export type SandboxIncoming = Body<paths['/sandbox/sessions/{id}/incoming']['post']>
export type SandboxAction = Body<paths['/sandbox/sessions/{id}/actions']['post']>
export type OperatorAccount = Item<Ok<paths['/operator/accounts']['get']>>
export type OperatorOverview = Ok<paths['/operator/overview']['get']>
export type Plan = OperatorAccount['plan']

/** The records that only the portal has. */
export type Visitor = Ok<portalPaths['/session']['get']>
export type Stats = Ok<portalPaths['/v1/stats']['get']>
export type Range = NonNullable<NonNullable<portalPaths['/v1/stats']['get']['parameters']['query']>['range']>
export type Bucket = Stats['buckets'][number]
/** The data of the live stream, by the names of its events. */
export type LiveEvents = Events<Answers<portalPaths['/live']['get']>[200]>

export const CATEGORIES: readonly Category[] = ['messages', 'status', 'connection', 'events']
