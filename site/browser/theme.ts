const KEY = 'postern.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

function chosen(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

const shown = (): string => {
  const theme = chosen()
  return theme === 'light' || theme === 'dark' ? theme : dark.matches ? 'dark' : 'light'
}

/** Shares the theme with the portal, in both directions. */
export function followTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-theme-switch]')!
  const apply = (): void => {
    document.documentElement.dataset['theme'] = shown()
    button.setAttribute('aria-label', `Use the ${shown() === 'dark' ? 'light' : 'dark'} theme`)
  }
  button.hidden = false
  button.addEventListener('click', () => {
    try {
      localStorage.setItem(KEY, shown() === 'dark' ? 'light' : 'dark')
    } catch {
      // Without storage the system's theme stays.
    }
    apply()
  })
  dark.addEventListener('change', apply)
  addEventListener('storage', apply)
  apply()
}
