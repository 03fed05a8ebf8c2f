/** As Lighthouse slows a browser down for a phone on a slow mobile network. */
const SLOW_NETWORK = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 }
/** A page is settled when nothing has come for so long; what stays open (a stream) does not count. */
const QUIET_MS = 1_000
const MOST_MS = 30_000
/** A task is in somebody's way by what it takes beyond this. */
const FREE_MS = 50

/** One load by somebody who comes for the first time: a window of its own, so that nothing is in any cache. */
export async function loadOnce(browser, url, { viewport, slower = 1, network = false, storageState }) {
  const context = await browser.newContext({ viewport, ...(storageState && { storageState }) })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const wire = watchWire(devtools)
  await devtools.send('Network.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  if (network) await devtools.send('Network.emulateNetworkConditions', SLOW_NETWORK)
  await page.addInitScript(watch)
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('h1').first().waitFor({ timeout: MOST_MS })
  await wire.settled()
  const { tasks, ...seen } = await page.evaluate(() => window.seen)
  await context.close()
  const blocked = tasks.filter(([at, ms]) => at + ms > seen.firstMs).map(([, ms]) => ms - FREE_MS)
  const blockedMs = blocked.reduce((sum, ms) => sum + ms, 0)
  return { ...seen, blockedMs, kB: wire.bytes() / 1_000, requests: wire.requests() }
}

function watchWire(devtools) {
  let bytes = 0
  let requests = 0
  let lastAt = performance.now()
  devtools.on('Network.requestWillBeSent', () => {
    requests++
    lastAt = performance.now()
  })
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    lastAt = performance.now()
  })
  return {
    bytes: () => bytes,
    requests: () => requests,
    async settled() {
      const until = performance.now() + MOST_MS
      while (performance.now() - lastAt < QUIET_MS && performance.now() < until)
        await new Promise(resolve => setTimeout(resolve, 100))
    },
  }
}

/** Runs in the page, before anything of it does. */
function watch() {
  const seen = { firstMs: 0, largestMs: 0, h1Ms: 0, shift: 0, tasks: [] }
  window.seen = seen
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('h1') === null) return
    seen.h1Ms = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
  const observe = (type, hear) =>
    new PerformanceObserver(list => list.getEntries().forEach(hear)).observe({ type, buffered: true })
  observe('paint', entry => {
    if (entry.name === 'first-contentful-paint') seen.firstMs = entry.startTime
  })
  observe('largest-contentful-paint', entry => {
    seen.largestMs = entry.startTime
  })
  observe('layout-shift', entry => {
    if (!entry.hadRecentInput) seen.shift += entry.value
  })
  observe('longtask', entry => seen.tasks.push([entry.startTime, entry.duration]))
}
