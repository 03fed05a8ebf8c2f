/** Between the page's own world, where passkeys are asked for, and the service worker. */
;(() => {
  if (globalThis.isPosternThere) return
  globalThis.isPosternThere = true

  chrome.runtime.onMessage.addListener(({ kind, options, gateway }) => {
    if (kind === 'ask') window.postMessage({ postern: 'ask', options, gateway }, location.origin)
  })

  async function handOver(assertion) {
    const { error } = await chrome.runtime.sendMessage({ kind: 'signed', assertion })
    window.postMessage({ postern: 'done', error: error ?? null }, location.origin)
  }

  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === window && origin === location.origin && data?.postern === 'signed') void handOver(data.assertion)
  })
})()
