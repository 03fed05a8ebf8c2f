import { parseLink } from './link.js'

const status = document.querySelector('[role=status]')
const form = document.querySelector('form')

/** Returns the text that the popup shows. */
async function begin() {
  const link = parseLink(new FormData(form).get('link'))
  if (!link) return 'This is not a link of a gateway. Copy the link again.'
  const { protocol } = new URL(link.origin)
  // The browser asks the person for permission, so the extension can reach this gateway only.
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
