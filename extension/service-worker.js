/** Carries the request to a page of the platform and its answer to the gateway, which the page's own CSP would block. */
const PAGE = 'https://web.whatsapp.com/'

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const work = workOn(message, sender)
  if (!work) return false
  work.then(answer, error => answer({ error: error.message }))
  return true
})

function workOn(message, sender) {
  if (message.kind === 'begin' && sender.url === chrome.runtime.getURL('popup.html')) return begin(message.link)
  if (message.kind === 'signed' && sender.url?.startsWith(PAGE)) return sendAssertion(sender.tab.id, message.assertion)
  return undefined
}

// The page may reload itself, and the browser may have stopped this worker meanwhile.
chrome.tabs.onUpdated.addListener((tabId, { status }) => void (status === 'complete' && show(tabId)))
chrome.tabs.onRemoved.addListener(tabId => void chrome.storage.session.remove(String(tabId)))

/** Keeps the request of this tab in memory only, until it is answered. */
async function begin(link) {
  const { options } = await ask(link, 'GET')
  const tab = await chrome.tabs.create({ url: PAGE })
  await chrome.storage.session.set({ [tab.id]: { link, options } })
  await show(tab.id)
  return {}
}

/** Sends the request to the tab once it has loaded the platform's page instead of the initial empty one. */
async function show(tabId) {
  const request = await requestIn(tabId)
  if (!request) return
  const { status, url } = await chrome.tabs.get(tabId)
  if (status !== 'complete' || !url?.startsWith(PAGE)) return
  const target = { tabId }
  await chrome.scripting.executeScript({ target, files: ['bridge.js'] })
  await chrome.scripting.executeScript({ target, world: 'MAIN', files: ['page.js'] })
  await chrome.tabs.sendMessage(tabId, { kind: 'ask', options: request.options, gateway: request.link.hostname })
}

async function requestIn(tabId) {
  const key = String(tabId)
  return (await chrome.storage.session.get(key))[key]
}

async function sendAssertion(tabId, assertion) {
  const request = await requestIn(tabId)
  if (!request) return { error: 'The request is over. Start over at the gateway.' }
  await ask(request.link, 'POST', assertion)
  await chrome.storage.session.remove(String(tabId))
  return {}
}

async function ask({ url, ticket }, method, body) {
  const response = await fetch(url, {
    method,
    credentials: 'omit',
    redirect: 'error',
    headers: {
      accept: 'application/json, application/problem+json',
      authorization: `Bearer ${ticket}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answered = await response.json()
  if (!response.ok) throw new Error(answered.detail ?? answered.error ?? `The gateway answered ${response.status}.`)
  return answered
}
