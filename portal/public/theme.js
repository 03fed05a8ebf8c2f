// Runs before the first paint, so that the theme never flashes.
;(() => {
  let theme = null
  try {
    theme = localStorage.getItem('postern.theme')
  } catch {}
  const dark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.theme = theme === 'light' || theme === 'dark' ? theme : dark ? 'dark' : 'light'
})()
