import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { DeliveryFilter } from './api/deliveries.ts'
import type { MessageFilter } from './api/messages.ts'
import type { Range } from './api/records.ts'
import type { RequestFilter } from './api/requests.ts'
import { visitorQuery } from './api/sign-in.ts'
import { lookUp } from './look-up.ts'
import { Shell } from './shell/shell.tsx'
import { NotFound, RouteError } from './ui/route-states.tsx'

interface Context {
  queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({ component: Outlet })

/** Keeps only the given parameters of a URL, as text, and ignores all others. */
const only =
  <T extends object>(...names: (keyof T & string)[]) =>
  (search: Record<string, unknown>): T =>
    Object.fromEntries(
      names.flatMap(name => {
        const value = lookUp(search, name)
        return value ? [[name, String(value)]] : []
      }),
    ) as T

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: only<{ next?: string }>('next'),
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
})
const signUpRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./pages/sign-up.tsx'), 'SignUpPage'),
})

/** Everything behind the sign-in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const visitor = await context.queries.ensureQueryData(visitorQuery)
    if (visitor === null)
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    return { visitor }
  },
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  validateSearch: only<{ range?: Range }>('range'),
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
})
const numbers = createRoute({
  getParentRoute: () => inside,
  path: '/numbers',
  validateSearch: only<{ add?: 'sandbox' }>('add'),
  component: lazyRouteComponent(() => import('./pages/numbers.tsx'), 'NumbersPage'),
})
const number = createRoute({
  getParentRoute: () => numbers,
  path: '$id',
  component: lazyRouteComponent(() => import('./pages/number-panel.tsx'), 'NumberPanel'),
})
const groups = createRoute({
  getParentRoute: () => inside,
  path: '/numbers/$id/groups',
  validateSearch: only<{ add?: 'group' }>('add'),
  component: lazyRouteComponent(() => import('./pages/number-groups.tsx'), 'NumberGroupsPage'),
})
const group = createRoute({
  getParentRoute: () => groups,
  path: '$jid',
  component: lazyRouteComponent(() => import('./pages/group-panel.tsx'), 'GroupPanel'),
})
const chats = createRoute({
  getParentRoute: () => inside,
  path: '/numbers/$id/chats',
  component: lazyRouteComponent(() => import('./pages/number-chats.tsx'), 'NumberChatsPage'),
})
const channels = createRoute({
  getParentRoute: () => inside,
  path: '/numbers/$id/channels',
  validateSearch: only<{ add?: 'channel' | 'follow' }>('add'),
  component: lazyRouteComponent(() => import('./pages/number-channels.tsx'), 'NumberChannelsPage'),
})
const link = createRoute({
  getParentRoute: () => inside,
  path: '/link',
  validateSearch: only<{ platform?: 'sandbox'; phone?: string }>('platform', 'phone'),
  component: lazyRouteComponent(() => import('./pages/link-phone.tsx'), 'LinkPhonePage'),
})
const phone = createRoute({
  getParentRoute: () => inside,
  path: '/phone',
  validateSearch: only<{ number?: string; chat?: string; second?: string }>('number', 'chat', 'second'),
  component: lazyRouteComponent(() => import('./pages/phone.tsx'), 'PhonePage'),
})
const messages = createRoute({
  getParentRoute: () => inside,
  path: '/messages',
  validateSearch: only<MessageFilter>('direction', 'number', 'state'),
  component: lazyRouteComponent(() => import('./pages/messages.tsx'), 'MessagesPage'),
})
const message = createRoute({
  getParentRoute: () => messages,
  path: '$id',
  component: lazyRouteComponent(() => import('./pages/message-panel.tsx'), 'MessagePanel'),
})
const deliveries = createRoute({
  getParentRoute: () => inside,
  path: '/deliveries',
  validateSearch: only<DeliveryFilter>('number', 'type', 'status', 'webhook', 'endpoint', 'since', 'until'),
  component: lazyRouteComponent(() => import('./pages/deliveries.tsx'), 'DeliveriesPage'),
})
const delivery = createRoute({
  getParentRoute: () => deliveries,
  path: '$id',
  component: lazyRouteComponent(() => import('./pages/delivery-panel.tsx'), 'DeliveryPanel'),
})
const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
})
const newWebhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/new',
  validateSearch: only<{ number?: string }>('number'),
  component: lazyRouteComponent(() => import('./pages/new-webhook.tsx'), 'NewWebhookPage'),
})
const webhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('./pages/webhook.tsx'), 'WebhookPage'),
})
const endpoints = createRoute({
  getParentRoute: () => inside,
  path: '/endpoints',
  validateSearch: only<{ add?: 'endpoint' }>('add'),
  component: lazyRouteComponent(() => import('./pages/endpoints.tsx'), 'EndpointsPage'),
})
const endpoint = createRoute({
  getParentRoute: () => inside,
  path: '/endpoints/$id',
  component: lazyRouteComponent(() => import('./pages/endpoint.tsx'), 'EndpointPage'),
})
const keys = createRoute({
  getParentRoute: () => inside,
  path: '/keys',
  validateSearch: only<{ add?: 'key' }>('add'),
  component: lazyRouteComponent(() => import('./pages/keys.tsx'), 'KeysPage'),
})
const requests = createRoute({
  getParentRoute: () => inside,
  path: '/requests',
  validateSearch: only<RequestFilter>('key', 'status', 'method', 'path', 'search', 'reads', 'since', 'until'),
  component: lazyRouteComponent(() => import('./pages/requests.tsx'), 'RequestsPage'),
})
const request = createRoute({
  getParentRoute: () => requests,
  path: '$id',
  component: lazyRouteComponent(() => import('./pages/request-panel.tsx'), 'RequestPanel'),
})
const usage = createRoute({
  getParentRoute: () => inside,
  path: '/usage',
  component: lazyRouteComponent(() => import('./pages/usage.tsx'), 'UsagePage'),
})
const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
})
const terms = createRoute({
  getParentRoute: () => inside,
  path: '/settings/terms',
  component: lazyRouteComponent(() => import('./pages/terms.tsx'), 'TermsPage'),
})
const accounts = createRoute({
  getParentRoute: () => inside,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./pages/accounts.tsx'), 'AccountsPage'),
})
const nodes = createRoute({
  getParentRoute: () => inside,
  path: '/nodes',
  component: lazyRouteComponent(() => import('./pages/nodes.tsx'), 'NodesPage'),
})

/** An unknown page keeps the menu for signed-in users; other visitors cannot learn which pages exist. */
const unknown = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound })

const tree = root.addChildren([
  signInRoute,
  signUpRoute,
  inside.addChildren([
    overview,
    numbers.addChildren([number]),
    groups.addChildren([group]),
    chats,
    channels,
    link,
    phone,
    messages.addChildren([message]),
    deliveries.addChildren([delivery]),
    webhooks,
    newWebhook,
    webhook,
    endpoints,
    endpoint,
    keys,
    requests.addChildren([request]),
    usage,
    settings,
    terms,
    accounts,
    nodes,
    unknown,
  ]),
])

export function createPortalRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>
  }
}
