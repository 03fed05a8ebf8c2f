import { language, type Language } from './language.ts'
import { lookUp } from './look-up.ts'
import type { texts as german } from './texts/de.ts'

/** Every text of the portal, by its English words. English is in the code; the others are in `texts/`, one file each. */
export type Text = keyof typeof german
export type Texts = Record<Text, string>

/** The names between braces: `{id}`. */
export type Slots<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never
/** What is put into them; nothing where there are none. */
export type Values<T extends string, V> = [Slots<T>] extends [never] ? [] : [values: Record<Slots<T>, V>]

const LOADED: Record<Exclude<Language, 'en'>, () => Promise<{ texts: Texts }>> = {
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  pt: () => import('./texts/pt.ts'),
}

let texts: Partial<Texts> = {}

/** To be awaited before anything else is loaded, so that constants can be texts too. */
export async function loadTexts(): Promise<void> {
  if (language !== 'en') texts = (await LOADED[language]()).texts
}

/**
 * The words in the language of the visitor, before anything is put into them. What stands behind ¦ tells apart what is
 * one word in English and several elsewhere; it is never shown.
 */
export const wordsOf = (text: Text): string => texts[text] ?? text.split(' ¦ ')[0]!

/** A text in the language of the visitor. */
export function t<T extends Text>(text: T, ...[values]: Values<T, string | number>): string {
  const words = wordsOf(text)
  if (values === undefined) return words
  const given: Record<string, string | number> = values
  return words.replace(/\{(\w+)\}/g, (_all, name: string) => String(lookUp(given, name)))
}
