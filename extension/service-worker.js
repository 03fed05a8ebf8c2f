/** Carries the request to a page of the platform, and the answer to the gateway; a page's own rules forbid it that. */
const PAGE = 'https://web.whatsapp.com/'

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  const work = workOn(message, sender)
  if (!work) return false
  work.then(answer, error => answer({ error: error.message }))
  return true
})

function workOn(message, sender) {
  if (message.kind === 'begin' && sender.url === chrome.runtime.getURL('popup.html')) return begin(message.link)
  if (message.kind === 'signed' && sender.url?.startsWith(PAGE)) return handOver(sender.tab.id, message.assertion)
  return undefined
}

/** The link is kept in memory alone, for this tab, and forgotten when it was used. */
async function begin(link) {
  const { options } = await ask(link, 'GET')
  const tab = await chrome.tabs.create({ url: PAGE })
  await loaded(tab.id)
  await chrome.storage.session.set({ [tab.id]: link })
  const target = { tabId: tab.id }
  await chrome.scripting.executeScript({ target, files: ['bridge.js'] })
  await chrome.scripting.executeScript({ target, world: 'MAIN', files: ['page.js'] })
  await chrome.tabs.sendMessage(tab.id, { kind: 'ask', options, gateway: link.hostname })
  return {}
}

async function handOver(tabId, assertion) {
  const key = String(tabId)
  const link = (await chrome.storage.session.get(key))[key]
  if (!link) return { error: 'The request is over. Start over at the gateway.' }
  await ask(link, 'POST', assertion)
  await chrome.storage.session.remove(key)
  return {}
}

async function ask({ url, ticket }, method, body) {
  const response = await fetch(url, {
    method,
    credentials: 'omit',
    redirect: 'error',
    headers: { authorization: `Bearer ${ticket}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answered = await response.json()
  if (!response.ok) throw new Error(answered.error ?? `The gateway answered ${response.status}.`)
  return answered
}

/** The page itself, and not the empty one that a tab begins with. */
function loaded(tabId) {
  return new Promise(resolve => {
    const look = async () => {
      const { status, url } = await chrome.tabs.get(tabId)
      if (status !== 'complete' || !url?.startsWith(PAGE)) return
      chrome.tabs.onUpdated.removeListener(hear)
      resolve()
    }
    const hear = id => void (id === tabId && look())
    chrome.tabs.onUpdated.addListener(hear)
    void look()
  })
}
