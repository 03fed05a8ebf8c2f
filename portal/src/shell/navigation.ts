import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  ChartNoAxesColumn,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Radio,
  ScrollText,
  Server,
  Settings,
  Smartphone,
  TabletSmartphone,
  Users,
  Webhook,
} from 'lucide-react'
import { t } from '../t.ts'

export interface Destination {
  to: NonNullable<LinkProps['to']>
  name: string
  icon: LucideIcon
}

export const DESTINATIONS: readonly Destination[] = [
  { to: '/', name: t('Overview'), icon: LayoutDashboard },
  { to: '/numbers', name: t('Numbers'), icon: Smartphone },
  { to: '/phone', name: t('Sandbox phone'), icon: TabletSmartphone },
  { to: '/messages', name: t('Messages'), icon: MessageSquare },
  { to: '/deliveries', name: t('Deliveries'), icon: Activity },
  { to: '/webhooks', name: t('Webhooks'), icon: Webhook },
  { to: '/endpoints', name: t('Endpoints'), icon: Radio },
  { to: '/keys', name: t('API keys'), icon: KeyRound },
  { to: '/requests', name: t('API log'), icon: ScrollText },
  { to: '/usage', name: t('Usage'), icon: ChartNoAxesColumn },
  { to: '/settings', name: t('Settings'), icon: Settings },
]

export const OPERATOR_DESTINATIONS: readonly Destination[] = [
  { to: '/accounts', name: t('Accounts'), icon: Users },
  { to: '/nodes', name: t('Nodes'), icon: Server },
]
