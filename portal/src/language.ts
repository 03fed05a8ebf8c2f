/** The languages of the portal, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', pt: 'Português' } as const
export type Language = keyof typeof LANGUAGES

const KEY = 'postern.language'
const isLanguage = (code: string): code is Language => Object.hasOwn(LANGUAGES, code)
const baseOf = (tag: string): string => tag.toLowerCase().split('-')[0]!

/** The language that the user chose, else the first language of the browser that the portal has. */
export function languageOf(chosen: string | null, wanted: readonly string[]): Language {
  if (chosen !== null && isLanguage(chosen)) return chosen
  return wanted.map(baseOf).find(isLanguage) ?? 'en'
}

/** How times and numbers are written: as the browser's own variant of the language has it, such as `pt-BR`. */
export const localeOf = (language: Language, wanted: readonly string[]): string =>
  wanted.find(tag => baseOf(tag) === language) ?? language

const wanted: readonly string[] = globalThis.navigator?.languages ?? []
/** `null`: the browser's. */
export const chosenLanguage: string | null = globalThis.localStorage?.getItem(KEY) ?? null

export const language = languageOf(chosenLanguage, wanted)
export const locale = localeOf(language, wanted)

/** Reloads the page, because constants keep the texts of the old language. */
export function chooseLanguage(code: Language | ''): void {
  if (code === '') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, code)
  window.location.reload()
}
