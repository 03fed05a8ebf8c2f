import { language, type Language } from './language.ts'
import { lookUp } from './look-up.ts'
import type { texts as german } from './texts/de.ts'

/** Every text of the portal, by its English words. English is in the code; the others are in `texts/`, one file each. */
export type Text = keyof typeof german
export type Texts = Record<Text, string>

/** The names between braces: `{id}`. */
export type Slots<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never
/** The values of the slots; no argument if there are none. */
export type Values<T extends string, V> = [Slots<T>] extends [never] ? [] : [values: Record<Slots<T>, V>]

const LOADED: Record<Exclude<Language, 'en'>, () => Promise<{ texts: Texts }>> = {
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  pt: () => import('./texts/pt.ts'),
}

let texts: Partial<Texts> = {}

/** Await it before loading any other module, so that constants can be texts too. */
export async function loadTexts(): Promise<void> {
  if (language !== 'en') texts = (await LOADED[language]()).texts
}

/**
 * The text in the language of the visitor, with its slots unfilled. The part after ¦ distinguishes meanings that are one
 * word in English and several in other languages; it is never shown.
 */
export const wordsOf = (text: Text): string => texts[text] ?? text.split(' ¦ ')[0]!

/** A text in the language of the visitor. */
export function t<T extends Text>(text: T, ...[values]: Values<T, string | number>): string {
  const words = wordsOf(text)
  if (values === undefined) return words
  const given: Record<string, string | number> = values
  return words.replace(/\{(\w+)\}/g, (_all, name: string) => String(lookUp(given, name)))
}
