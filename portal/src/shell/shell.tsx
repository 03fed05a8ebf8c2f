import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { afterResponse } from '../api/after-response.ts'
import { changesHealth, endpointsQuery } from '../api/endpoints.ts'
import { refetchChanged } from '../api/refetch-changed.ts'
import { openLiveStream, useLive } from '../api/live.ts'
import type { Session } from '../api/records.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { TermsGate } from '../pages/terms-gate.tsx'
import { IconButton } from '../ui/button.tsx'
import { Drawer } from '../ui/drawer.tsx'
import { useListKeys, useShortcut } from '../ui/shortcuts.ts'
import { AwayBanner } from './away-banner.tsx'
import { Rail } from './rail.tsx'
import { useRefetchSoon } from './use-refetch-soon.ts'
import { t } from '../t.ts'

const loadPalette = () => import('./palette.tsx')
const Palette = lazy(() => loadPalette().then(module => ({ default: module.Palette })))
const ShortcutList = lazy(() => import('./shortcut-list.tsx').then(module => ({ default: module.ShortcutList })))

const NARROW_KEY = 'postern.narrow'
/** The pages that are available before the Terms are accepted. */
const BEFORE_TERMS = /^\/($|settings|accounts|nodes)/

/** The frame of every page behind the sign-in. */
export function Shell() {
  const { user, account } = useVisitor()
  const [narrow, setNarrow] = useState(() => localStorage.getItem(NARROW_KEY) === '1')
  const [overlay, setOverlay] = useState<'menu' | 'palette' | 'shortcuts' | null>(null)
  const { pathname } = useLocation()
  const close = () => setOverlay(null)
  useLiveData(user.id !== '' && account.tos_accepted)
  useListKeys()
  useShortcut('?', () => setOverlay('shortcuts'))
  usePaletteKey(() => setOverlay('palette'))
  const toggle = () => {
    localStorage.setItem(NARROW_KEY, narrow ? '0' : '1')
    setNarrow(!narrow)
  }
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('Skip to the page')}
      </a>
      <header
        className={`sticky top-0 hidden h-dvh shrink-0 border-r bg-surface rail:block ${narrow ? 'w-[60px]' : 'w-[220px]'}`}
      >
        <Rail narrow={narrow} onToggle={toggle} onSearch={() => setOverlay('palette')} />
      </header>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b bg-surface px-2 rail:hidden">
          <IconButton label={t('Open the menu')} icon={Menu} onClick={() => setOverlay('menu')} />
          <span className="truncate font-semibold">{account.name}</span>
        </header>
        <AwayBanner />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          {account.tos_accepted || BEFORE_TERMS.test(pathname) ? <Outlet /> : <TermsGate />}
        </main>
      </div>
      {overlay === 'menu' && (
        <Drawer label={t('Menu')} onClose={close}>
          <Rail narrow={false} onNavigate={close} onSearch={() => setOverlay('palette')} />
        </Drawer>
      )}
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'shortcuts' && <ShortcutList onClose={close} />}
      </Suspense>
    </div>
  )
}

/** One stream for all pages; this keeps the data fresh that several pages use. */
function useLiveData(admitted: boolean): void {
  const queries = useQueryClient()
  const soon = useRefetchSoon()
  useEffect(() => (admitted ? openLiveStream(queries) : undefined), [queries, admitted])
  useLive('session', session => {
    queries.setQueryData(sessionsQuery.queryKey, old => old && withSession(old, session))
    // A pending response may be older than the update, and would replace it.
    afterResponse(queries, sessionsQuery.queryKey, () => soon(sessionsQuery.queryKey))
    soon(['stats'])
  })
  useLive('delivery', delivery => {
    void refetchChanged(queries, { queryKey: ['delivery', delivery.id] })
    soon(['trail'])
    if (delivery.status === 'dead') soon(['stats'])
    if (changesHealth(queries.getQueryData(endpointsQuery.queryKey), delivery)) soon(endpointsQuery.queryKey)
  })
  useLive('message', message => void refetchChanged(queries, { queryKey: ['message', message.id] }))
}

const withSession = (sessions: Session[], session: Session): Session[] =>
  sessions.some(({ id }) => id === session.id)
    ? sessions.map(old => (old.id === session.id ? session : old))
    : [session, ...sessions.filter(({ phone }) => phone !== session.phone)]

/** Loads the palette ahead, so that it receives what the user types right after the shortcut. */
function usePaletteKey(open: () => void): void {
  useEffect(() => void loadPalette(), [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}
