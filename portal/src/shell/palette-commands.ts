import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type LucideIcon, Moon, Plus, Radio, Search, Send, Smartphone, Webhook as WebhookIcon } from 'lucide-react'
import { endpointsQuery, nameOfEndpoint } from '../api/endpoints.ts'
import { CATEGORIES, type Endpoint, type Session, type Webhook } from '../api/records.ts'
import { nameOf, sessionsQuery } from '../api/sessions.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { urlOf, webhooksQuery } from '../api/webhooks.ts'
import { setTheme } from '../ui/theme.ts'
import { mentions } from './mentions.ts'
import { DESTINATIONS, OPERATOR_DESTINATIONS } from './navigation.ts'
import { useFinds } from './use-finds.ts'
import { t } from '../t.ts'

export interface Command {
  name: string
  /** What kind of thing it is, in words. */
  group: string
  /** Distinguishes it from others of the same name. */
  key?: string
  icon: LucideIcon
  run: () => void
}

export type Router = ReturnType<typeof useRouter>
const MOST_SHOWN = 50

/** The entries of the palette for the search term. */
export function useCommands(text: string): Command[] {
  const router = useRouter()
  const { user, account, sandbox } = useVisitor()
  const sessions = useQuery({ ...sessionsQuery, enabled: account.tos_accepted }).data ?? []
  const webhooks = useQuery({ ...webhooksQuery, enabled: account.tos_accepted }).data ?? []
  const endpoints = useQuery({ ...endpointsQuery, enabled: account.tos_accepted }).data ?? []
  const nameOfPhone = (phone: string) =>
    nameOf(sessions.find(session => session.phone === phone) ?? { label: '', phone })
  const found = useFinds(router, text, account.tos_accepted)
  const named = [...pages(router, user.is_operator, sandbox), ...actions(router, sandbox)].filter(({ name }) =>
    mentions(text, [name]),
  )
  const hooks = webhooks.flatMap(webhook =>
    aboutWebhook(router, webhook.id, nameOfPhone(webhook.phone)).filter(({ name }) =>
      mentions(text, [name, webhook.id, webhook.phone, ...urlsOf(webhook)]),
    ),
  )
  const receivers = endpoints
    .filter(endpoint => mentions(text, [endpoint.description, endpoint.id, endpoint.url]))
    .map(endpoint => aboutEndpoint(router, endpoint))
  const numbers = sessions
    .map(session => aboutNumber(router, session))
    .filter(({ name, key }) => mentions(text, [name, key]))
  return [...byId(router, text), ...named, ...numbers, ...hooks, ...receivers, ...found].slice(0, MOST_SHOWN)
}

const urlsOf = (webhook: Webhook): string[] => [...new Set(CATEGORIES.map(category => urlOf(webhook, category)))]

function byId(router: Router, id: string): Command[] {
  const find = (name: string, run: () => unknown): Command[] => [
    { name, group: t('Find'), icon: Search, run: () => void run() },
  ]
  if (/^msg_\w+$/.test(id))
    return find(t('Open message {id}', { id }), () => router.navigate({ to: '/messages/$id', params: { id } }))
  if (/^dlv_\w+$/.test(id))
    return find(t('Open delivery {id}', { id }), () => router.navigate({ to: '/deliveries/$id', params: { id } }))
  if (/^wh_\w+$/.test(id))
    return find(t('Open webhook {id}', { id }), () => router.navigate({ to: '/webhooks/$id', params: { id } }))
  if (/^ep_\w+$/.test(id))
    return find(t('Open endpoint {id}', { id }), () => router.navigate({ to: '/endpoints/$id', params: { id } }))
  return []
}

function pages(router: Router, isOperator: boolean, sandbox: boolean): Command[] {
  return [...DESTINATIONS, ...(isOperator ? OPERATOR_DESTINATIONS : [])]
    .filter(page => sandbox || page.to !== '/phone')
    .map(page => ({
      name: page.name,
      group: t('Go to'),
      icon: page.icon,
      run: () => void router.navigate({ to: page.to }),
    }))
}

function actions(router: Router, sandbox: boolean): Command[] {
  const action = (name: string, icon: LucideIcon, run: () => unknown): Command => ({
    name,
    group: t('Actions'),
    icon,
    run: () => void run(),
  })
  return [
    ...(sandbox
      ? [action(t('Add a sandbox number'), Plus, () => router.navigate({ to: '/numbers', search: { add: 'sandbox' } }))]
      : []),
    action(t('Link a phone'), Smartphone, () => router.navigate({ to: '/link' })),
    action(t('Create an API key'), Plus, () => router.navigate({ to: '/keys', search: { add: 'key' } })),
    action(t('Create an endpoint'), Plus, () => router.navigate({ to: '/endpoints', search: { add: 'endpoint' } })),
    action(t('Show the dead letters'), Search, () =>
      router.navigate({ to: '/deliveries', search: { status: 'dead' } }),
    ),
    action(t('Use the light theme'), Moon, () => setTheme('light')),
    action(t('Use the dark theme'), Moon, () => setTheme('dark')),
    action(t("Use the system's theme"), Moon, () => setTheme('system')),
  ]
}

function aboutWebhook(router: Router, id: string, name: string): Command[] {
  const open = (hash?: string) => void router.navigate({ to: '/webhooks/$id', params: { id }, hash })
  return [
    {
      key: id,
      name: t('Test the webhook of {name}', { name }),
      group: t('Actions'),
      icon: Send,
      run: () => open('test'),
    },
    { key: id, name: t('Webhook of {name}', { name }), group: t('Webhook'), icon: WebhookIcon, run: () => open() },
  ]
}

const aboutEndpoint = (router: Router, endpoint: Endpoint): Command => ({
  key: endpoint.id,
  name: nameOfEndpoint(endpoint),
  group: t('Endpoint'),
  icon: Radio,
  run: () => void router.navigate({ to: '/endpoints/$id', params: { id: endpoint.id } }),
})

const aboutNumber = (router: Router, session: Session): Command => ({
  key: session.id,
  name: `${nameOf(session)} (${session.phone})`,
  group: t('Number'),
  icon: Smartphone,
  run: () => void router.navigate({ to: '/numbers/$id', params: { id: session.id } }),
})
