/** Lighthouse's throttling for a phone on a slow mobile network. */
const SLOW_NETWORK = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 }
/** A page is loaded after this time without a new response; open streams do not count. */
const QUIET_MS = 1_000
const MOST_MS = 30_000
/** A task blocks the user for its time beyond this. */
const FREE_MS = 50

/** One first load, in a fresh browser context with an empty cache. */
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

/** Runs in the page before its own scripts. */
function watch() {
  const seen = { firstMs: 0, largestMs: 0, h1Ms: 0, shift: 0, tasks: [] }
  window.seen = seen
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('h1') === null) return
    seen.h1Ms = performance.now()
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
  const observe = (type, onEntry) =>
    new PerformanceObserver(list => list.getEntries().forEach(onEntry)).observe({ type, buffered: true })
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
