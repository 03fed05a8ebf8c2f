const LIBRARY = /[\\/]node_modules[\\/](libsignal|baileys)[\\/]/

let contained = false

/**
 * The library starts work that nobody waits for; when a link ends under it, the failure reaches nobody and would end
 * the process with all its other numbers. A failure that did not come from the library still does.
 */
export function containStrayRejections(): void {
  if (contained) return
  contained = true
  process.on('unhandledRejection', reason => {
    if (!(reason instanceof Error && LIBRARY.test(reason.stack ?? ''))) throw reason
  })
}
