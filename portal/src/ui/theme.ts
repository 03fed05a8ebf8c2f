import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'postern.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const watchers = new Set<() => void>()

function chosen(): Theme {
  const theme = localStorage.getItem(KEY)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function apply(): void {
  const theme = chosen()
  document.documentElement.dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
  for (const watch of watchers) watch()
}

dark.addEventListener('change', apply)

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  apply()
}

const subscribe = (watch: () => void) => {
  watchers.add(watch)
  return () => void watchers.delete(watch)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosen)
/** The current theme, for drawing on a canvas. */
export const useShownTheme = (): string =>
  useSyncExternalStore(subscribe, () => document.documentElement.dataset['theme'] ?? 'light')
