/** Runs in the page's own world, because password managers offer passkeys only there. */
;(() => {
  if (document.getElementById('postern-passkey')) return
  const bar = document.createElement('div')
  bar.id = 'postern-passkey'
  bar.style.cssText =
    'position:fixed;inset:16px 16px auto auto;z-index:2147483647;max-width:340px;padding:16px;border-radius:8px;' +
    'background:#fff;color:#12211d;font:14px/1.5 system-ui,sans-serif;box-shadow:0 4px 24px #0006'
  const text = document.createElement('p')
  text.style.margin = '0 0 12px'
  const button = document.createElement('button')
  button.style.cssText =
    'padding:8px 14px;border:0;border-radius:8px;background:#0f766e;color:#fff;font:inherit;font-weight:600'
  bar.append(text, button)
  bar.hidden = true
  document.body.append(bar)
  const post = message => window.postMessage(message, location.origin)

  async function sign(options) {
    button.disabled = true
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      const { id, rawId, type, response } = (await navigator.credentials.get({ publicKey })).toJSON()
      const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
      const assertion = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
      post({ postern: 'signed', assertion })
    } catch (error) {
      text.textContent = `The passkey was not used (${error.name}). You can try again.`
      button.disabled = false
    }
  }

  function done(error) {
    text.textContent = error ?? 'Done. Go back to the gateway; this tab can be closed.'
    button.remove()
  }

  window.addEventListener('message', ({ source, origin, data }) => {
    if (source !== window || origin !== location.origin) return
    if (data?.postern === 'done') done(data.error)
    if (data?.postern !== 'ask') return
    text.textContent = `Link your number to the gateway ${data.gateway}? Go on only if you began this yourself.`
    button.textContent = 'Use my passkey'
    button.onclick = () => void sign(data.options)
    bar.hidden = false
  })
})()
