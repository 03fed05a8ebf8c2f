/** Relays messages between the page's own world, which requests passkeys, and the service worker. */
;(() => {
  if (globalThis.isPosternThere) return
  globalThis.isPosternThere = true

  chrome.runtime.onMessage.addListener(({ kind, options, gateway }) => {
    if (kind === 'ask') window.postMessage({ postern: 'ask', options, gateway }, location.origin)
  })

  async function sendAssertion(assertion) {
    const { error } = await chrome.runtime.sendMessage({ kind: 'signed', assertion })
    window.postMessage({ postern: 'done', error: error ?? null }, location.origin)
  }

  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === window && origin === location.origin && data?.postern === 'signed')
      void sendAssertion(data.assertion)
  })
})()
