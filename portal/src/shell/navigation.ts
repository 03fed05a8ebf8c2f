import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  ChartNoAxesColumn,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  ScrollText,
  Server,
  Settings,
  Smartphone,
  TabletSmartphone,
  Users,
  Webhook,
} from 'lucide-react'

export interface Destination {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: LucideIcon
}

export const DESTINATIONS: readonly Destination[] = [
  { to: '/', name: 'Overview', icon: LayoutDashboard },
  { to: '/numbers', name: 'Numbers', icon: Smartphone },
  { to: '/phone', name: 'Sandbox phone', icon: TabletSmartphone },
  { to: '/messages', name: 'Messages', icon: MessageSquare },
  { to: '/deliveries', name: 'Deliveries', icon: Activity },
  { to: '/webhooks', name: 'Webhooks', icon: Webhook },
  { to: '/keys', name: 'API keys', icon: KeyRound },
  { to: '/requests', name: 'API log', icon: ScrollText },
  { to: '/usage', name: 'Usage', icon: ChartNoAxesColumn },
  { to: '/settings', name: 'Settings', icon: Settings },
]

export const OPERATOR_DESTINATIONS: readonly Destination[] = [
  { to: '/accounts', name: 'Accounts', icon: Users },
  { to: '/nodes', name: 'Nodes', icon: Server },
]
