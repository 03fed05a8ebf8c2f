import type { HtmlTagDescriptor, Plugin } from 'vite'

/** What every page needs: the frame, what pages share, and the letters. */
const NEEDED = /^assets\/(app|shared|inter-latin)-[^/]+\.(js|woff2)$/

/** It is asked for together with the first script, not after that one has run. */
export function preloadNeeded(): Plugin {
  return {
    name: 'preload-needed',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter(name => NEEDED.test(name))
          .map(tagOf),
    },
  }
}

function tagOf(name: string): HtmlTagDescriptor {
  const kind = name.endsWith('.js') ? { rel: 'modulepreload' } : { rel: 'preload', as: 'font', type: 'font/woff2' }
  return { tag: 'link', attrs: { ...kind, crossorigin: true, href: `/${name}` }, injectTo: 'head' }
}
