import type { AddressInfo } from 'node:net'
import { fastify as Fastify, type FastifyInstance } from 'fastify'
import { BOUNDS } from '../domain/bounds.ts'
import { SignInAttempts } from '../actions/sign-in/sign-in-attempts.ts'
import { originOf } from '../config.ts'
import type { Context } from '../context.ts'
import { notFound } from '../domain/errors.ts'
import type { Health } from '../role.ts'
import { answeredOf, type Answered, ResponseLog } from './response-log.ts'
import { ApiLog } from './api-log.ts'
import { Authenticator } from './authenticate.ts'
import { guardConnections } from './connection/guard-connections.ts'
import { serveDocs } from './docs-site.ts'
import { sendError } from './error-response.ts'
import { EventWaits } from './live/event-waits.ts'
import { setResponseDefaults } from './response-defaults.ts'
import { AuthThrottle } from './limits/auth-throttle.ts'
import { serveHealth } from './health.ts'
import { LivePolls } from './live/live-polls.ts'
import { LocalCommands } from './local-commands.ts'
import { bearsToken, notTheOperator } from './operator-token.ts'
import { ticketGate, ticketRoutes } from './passkey-ticket.ts'
import type { Deps } from './deps.ts'
import { makePages } from './portal/pages.ts'
import { servePortal } from './portal/portal.ts'
import { readBodies } from './connection/read-body.ts'
import { UPGRADE_OPTIONS } from './connection/upgrades.ts'
import { requestIdOf } from './request-id.ts'
import { RegularSends } from './regular-sends.ts'
import { BodyMemory } from './limits/body-memory.ts'
import { RequestLimits } from './limits/request-limits.ts'
import { accountRoutes, operatorRoutes } from './routes.ts'
import { type Admit, type Gate, serveOperatorRoute, serveRoute, serveVisitorRoute } from './serve-route.ts'
import { SessionCache } from './session-cache.ts'
import { SharedLimits } from './limits/shared-limits.ts'
import { keepStreams } from './live/sse.ts'
import { ToolLimit } from './limits/tool-limit.ts'
import { traceRequests } from './trace-requests.ts'
import { FairScheduler } from './limits/fair-scheduler.ts'
import { FileTransfers } from './limits/file-transfers.ts'
import { rejectUnknownPaths } from './unknown-path.ts'

/** How many connections there may be, and how long a client may take to send a request and to read its response. */
export interface ConnectionLimits {
  maxConnections: number
  headersMs: number
  requestMs: number
  unreadMs: number
  slowBodyMs: number
  checkEveryMs: number
}

export const LIMITS: ConnectionLimits = {
  maxConnections: BOUNDS.connections,
  headersMs: 20_000,
  requestMs: 30_000,
  unreadMs: 30_000,
  slowBodyMs: 5_000,
  checkEveryMs: 6_000,
}

/** Connections that wait to be accepted: beyond them the system drops the next one, and its client retries after 1 s. */
const BACKLOG = 4_096

export interface Server {
  app: FastifyInstance
  /** Returns the port, which the system may have picked. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** The HTTP server: every route of the table, the reference, health and metrics. */
export function createServer(context: Context, health: Health, limits = LIMITS): Server {
  const { config } = context
  let port = config.port
  const publicUrl = () => config.publicUrl ?? originOf(config.host, port)
  const deps = makeDeps(context, publicUrl)
  const authenticator = new Authenticator(deps)
  const [apiLog, responseLog, memory] = [new ApiLog(context), new ResponseLog(context), new BodyMemory()]
  const onAnswered = (answered: Answered): void => {
    responseLog.add(answered)
    apiLog.add(answered)
  }
  const app = makeApp(context, limits, { publicUrl, onAnswered })
  new RegularSends(deps, { authenticator, memory, onAnswered }).register(app)
  readBodies(app, deps.scheduler.store, memory)
  guardConnections(app, context, limits)
  serveEverything(app, context, { deps, authenticator, health })

  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  return {
    app,
    async listen() {
      running = Promise.all(
        [authenticator, deps.sharedLimits, deps.sessions, apiLog].map(each => each.run(stopping.signal)),
      )
      try {
        await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
      } catch (error) {
        stopping.abort()
        throw error
      }
      // Immediately: the first request may already name this port.
      context.endpoints.set('api', app.addresses() as AddressInfo[])
      port = (app.server.address() as { port: number }).port
      return port
    },
    async close() {
      await app.close()
      stopping.abort()
      await running
    },
  }
}

function makeDeps(context: Context, publicUrl: () => string): Deps {
  const { clock } = context
  const [requestLimits, toolLimit, authThrottle] = [
    new RequestLimits(context),
    new ToolLimit(clock),
    new AuthThrottle(clock),
  ]
  const attempts = new SignInAttempts(() => clock.monotonicMs())
  const sharedLimits = new SharedLimits(context, {
    requests: requestLimits.buckets,
    tools: toolLimit.buckets,
    authThrottle: authThrottle.buckets,
    ...attempts.buckets,
  })
  const processes = () => sharedLimits.processes
  return {
    ...context,
    sessions: new SessionCache(context),
    livePolls: new LivePolls(context),
    eventWaits: new EventWaits(),
    sharedLimits,
    requestLimits,
    authThrottle,
    fileTransfers: new FileTransfers(context.metrics),
    scheduler: { store: new FairScheduler(processes), sandbox: new FairScheduler(processes) },
    toolLimit,
    attempts,
    publicUrl,
  }
}

interface Served {
  deps: Deps
  authenticator: Authenticator
  health: Health
}

function serveEverything(app: FastifyInstance, context: Context, { deps, authenticator, health }: Served): void {
  const { publicUrl, config } = deps
  const pages = makePages({ publicUrl, tosVersion: config.tosVersion })
  rejectUnknownPaths(app, pages.showPage)
  keepStreams(app)
  app.addHook('preClose', async () => deps.eventWaits.endAll())
  const local = new LocalCommands({ ...deps, localToken: context.localToken })
  const admit: Admit = request =>
    local.isLocal(request) ? local.identify(request) : authenticator.authenticate(request)
  const gate = operatorOnly(config.operatorToken, local)
  for (const route of accountRoutes) serveRoute(app, route, admit, deps)
  for (const route of operatorRoutes) serveOperatorRoute(app, route, gate, deps)
  for (const route of ticketRoutes) serveVisitorRoute(app, route, ticketGate(deps), deps)
  servePortal(app, deps)
  pages.serve(app)
  serveHealth(app, context, health)
  serveDocs(app, publicUrl)
}

/** Routes have their own validators, so the framework's are not loaded. */
const NO_SCHEMAS = {
  buildValidator: () => () => Object.assign(() => true, { errors: null }) as never,
  buildSerializer: () => () => (value: unknown) => JSON.stringify(value),
}

interface AppParts {
  publicUrl(): string
  /** Called with each request and its response. */
  onAnswered(answered: Answered): void
}

export function makeApp(
  context: Context,
  limits: ConnectionLimits,
  { publicUrl, onAnswered }: AppParts,
): FastifyInstance {
  const errorDeps = { log: context.log, publicUrl }
  const app = Fastify({
    routerOptions: { maxParamLength: 400 },
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Node has one limit for all requests: `guardConnections` makes an exception for files.
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    http: {
      headersTimeout: limits.headersMs,
      maxHeaderSize: 16_384,
      connectionsCheckingInterval: limits.checkEveryMs,
      requireHostHeader: false,
      ...UPGRADE_OPTIONS,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, errorDeps),
    clientErrorHandler: () => {},
    schemaController: { compilersFactory: NO_SCHEMAS },
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
  })
  app.decorateRequest('identity', null)
  app.decorateRequest('stillAdmitted', null)
  app.decorateRequest('rejection', null)
  setResponseDefaults(app)
  traceRequests(app, context)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, errorDeps))
  app.addHook('onResponse', (request, reply, done) => {
    onAnswered(answeredOf(request, reply))
    done()
  })
  return app
}

/** Requires the operator's token, or a command on this machine. Without a configured token the operator API does not exist. */
function operatorOnly(token: string | null, local: LocalCommands): Gate {
  return async request => {
    if (local.isLocal(request)) return
    if (token === null) throw notFound('path')
    if (!bearsToken(request, token)) throw notTheOperator()
  }
}
