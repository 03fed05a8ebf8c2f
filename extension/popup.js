import { parseLink } from './link.js'

const status = document.querySelector('[role=status]')
const form = document.querySelector('form')

/** What the person is told. */
async function begin() {
  const link = parseLink(new FormData(form).get('link'))
  if (!link) return 'This is not a link of a gateway. Copy it anew.'
  const { protocol } = new URL(link.origin)
  // The browser asks the person, so that only the gateway that was named is ever reached.
  const isAllowed = await chrome.permissions.request({ origins: [`${protocol}//${link.hostname}/*`] })
  if (!isAllowed) return 'Without that permission the gateway cannot be asked.'
  const { error } = await chrome.runtime.sendMessage({ kind: 'begin', link })
  return error ?? 'Go on in the tab of WhatsApp Web.'
}

form.addEventListener('submit', event => {
  event.preventDefault()
  status.textContent = 'Asking the gateway …'
  begin().then(
    words => {
      status.textContent = words
    },
    error => {
      status.textContent = `It did not work: ${error.message}`
    },
  )
})
