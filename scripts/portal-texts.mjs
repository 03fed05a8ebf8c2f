import { readFileSync } from 'node:fs'

/** The words of the portal in a language, by the English ones. */
export async function textsOf(language) {
  if (language === 'en') return text => text
  const source = readFileSync(new URL(`../portal/src/texts/${language}.ts`, import.meta.url), 'utf8')
  const script = source.replace(/^import type .*$/m, '').replace('texts: Texts', 'texts')
  const { texts } = await import(`data:text/javascript,${encodeURIComponent(script)}`)
  return text => texts[text] ?? text
}
