import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, LogOut, Moon, PanelLeft, Search, Sun } from 'lucide-react'
import { useLiveState } from '../api/live.ts'
import { statsQuery } from '../api/stats.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { IconButton } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { LiveSign } from '../ui/live-sign.tsx'
import { count as formatted } from '../ui/numbers-format.ts'
import { setTheme, useShownTheme } from '../ui/theme.ts'
import { DESTINATIONS, type Destination, OPERATOR_DESTINATIONS } from './navigation.ts'
import { useSignOut } from './use-sign-out.ts'
import { capitalized } from '../capitalized.ts'
import { t } from '../t.ts'

interface RailProps {
  narrow: boolean
  onToggle?: () => void
  onNavigate?: () => void
  onSearch: () => void
}

/** The navigation: pages, and at the bottom the settings of the user. */
export function Rail({ narrow, onToggle, onNavigate, onSearch }: RailProps) {
  const { user, account, sandbox } = useVisitor()
  const deadLetters = useDeadLetters(account.tos_accepted)
  const shown = DESTINATIONS.filter(page => sandbox || page.to !== '/phone')
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <div className={classes('flex items-center gap-2.5', narrow ? 'flex-col' : 'px-2 pt-1')}>
        <img src="/favicon.svg" alt="" width="28" height="28" />
        {!narrow && (
          <div className="min-w-0 flex-1">
            <p className="truncate font-semibold" title={account.name}>
              {account.name}
            </p>
            <p className="text-[12px] text-muted">{t('{plan} plan', { plan: capitalized(account.plan) })}</p>
          </div>
        )}
        {onToggle && (
          <IconButton
            label={narrow ? t('Expand the menu') : t('Collapse the menu')}
            icon={PanelLeft}
            onClick={onToggle}
          />
        )}
      </div>
      <button
        type="button"
        onClick={onSearch}
        aria-label={narrow ? t('Search') : undefined}
        className={classes(
          'flex h-9 items-center gap-2 rounded-lg border bg-surface text-muted hover:border-line-strong',
          narrow ? 'justify-center' : 'px-2.5',
        )}
      >
        <Search size={15} aria-hidden />
        {!narrow && (
          <>
            <span className="flex-1 text-left">{t('Search')}</span>
            <kbd aria-hidden className="font-sans text-[12px]">
              Ctrl K
            </kbd>
          </>
        )}
      </button>
      <nav aria-label={t('Pages')} className="flex-1 space-y-0.5">
        {shown.map(page => (
          <RailLink
            key={page.to}
            page={page}
            narrow={narrow}
            onNavigate={onNavigate}
            count={page.to === '/deliveries' ? deadLetters : 0}
          />
        ))}
        {user.is_operator && !narrow && <OperatorTitle />}
        {user.is_operator &&
          OPERATOR_DESTINATIONS.map(page => (
            <RailLink key={page.to} page={page} narrow={narrow} onNavigate={onNavigate} count={0} />
          ))}
      </nav>
      <Foot narrow={narrow} />
    </div>
  )
}

const OperatorTitle = () => <p className="px-2.5 pt-4 pb-1 text-[12px] font-medium text-muted">{t('Operator')}</p>

function useDeadLetters(enabled: boolean): number {
  const { data } = useQuery({ ...statsQuery('24h'), enabled })
  return data?.dead_letters ?? 0
}

interface RailLinkProps {
  page: Destination
  narrow: boolean
  onNavigate?: (() => void) | undefined
  count: number
}

function RailLink({ page, narrow, onNavigate, count }: RailLinkProps) {
  const Icon = page.icon
  return (
    <Link
      to={page.to}
      onClick={onNavigate}
      activeOptions={{ exact: page.to === '/', includeSearch: false }}
      title={narrow ? page.name : undefined}
      aria-label={narrow ? page.name : undefined}
      className={classes(
        'relative flex h-9 items-center gap-2.5 rounded-lg font-medium',
        narrow ? 'justify-center' : 'px-2.5',
      )}
      activeProps={{ className: 'bg-accent-soft text-accent-strong' }}
      inactiveProps={{ className: 'text-muted hover:bg-raised hover:text-ink' }}
    >
      <Icon size={17} aria-hidden />
      {!narrow && <span className="flex-1">{page.name}</span>}
      {count > 0 && (
        <span
          title={t('{count} dead letters', { count: formatted(count) })}
          className={classes(
            'rounded-full bg-danger px-1.5 text-[11px] leading-[18px] font-semibold text-on-danger',
            narrow && 'absolute top-0 right-0',
          )}
        >
          {count > 999 ? `${formatted(999)}+` : count}
          <span className="sr-only"> {t('dead letters')}</span>
        </span>
      )}
    </Link>
  )
}

function Foot({ narrow }: { narrow: boolean }) {
  const { account } = useVisitor()
  const theme = useShownTheme()
  const live = useLiveState()
  const signOut = useSignOut()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <div className={classes('flex items-center gap-1 border-t pt-3', narrow && 'flex-col')}>
      {account.tos_accepted && <LiveSign state={live} narrow={narrow} />}
      {!narrow && <span className="flex-1" />}
      <a
        href="/docs"
        aria-label={t('Documentation')}
        title={t('Documentation')}
        className="inline-grid size-8 place-items-center rounded-lg text-muted hover:bg-raised hover:text-ink"
      >
        <BookOpen size={16} aria-hidden />
      </a>
      <IconButton
        label={other === 'dark' ? t('Use the dark theme') : t('Use the light theme')}
        icon={theme === 'dark' ? Sun : Moon}
        onClick={() => setTheme(other)}
      />
      <IconButton label={t('Sign out')} icon={LogOut} onClick={() => void signOut()} />
    </div>
  )
}
