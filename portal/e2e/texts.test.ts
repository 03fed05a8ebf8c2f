import { describe, expect, it } from 'vitest'
import { languageOf, localeOf } from '../src/language.ts'
import { texts as german } from '../src/texts/de.ts'
import { texts as spanish } from '../src/texts/es.ts'
import { texts as portuguese } from '../src/texts/pt.ts'
import { textsOfTheCode } from './texts.ts'

const slotsOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted()

describe('the texts of the portal', () => {
  const { used, untranslated } = textsOfTheCode()
  const names = new Set(used.map(({ text }) => text))

  it.each([
    ['German', german],
    ['Spanish', spanish],
    ['Portuguese', portuguese],
  ])(
    'are complete in %s, without unused ones, and have the same placeholders',
    (_language, texts: Record<string, string>) => {
      expect(names.size).toBeGreaterThan(700)
      expect([...names].filter(name => !texts[name]?.trim())).toEqual([])
      expect(Object.keys(texts).filter(name => !names.has(name))).toEqual([])
      expect(Object.entries(texts).filter(([name, text]) => `${slotsOf(name)}` !== `${slotsOf(text)}`)).toEqual([])
    },
  )

  it('come only from the catalogue, not from the code', () => {
    expect(untranslated).toEqual([])
  })

  it.each([
    [null, ['fr-FR', 'pt-BR', 'en'], 'pt', 'pt-BR'],
    [null, ['fr-FR'], 'en', 'en'],
    ['de', ['es-MX', 'de-AT'], 'de', 'de-AT'],
    ['constructor', ['es-MX'], 'es', 'es-MX'],
  ])(
    'with the choice %s and the browser languages %o are in %s with the locale %s',
    (chosen, wanted, language, locale) => {
      expect(languageOf(chosen, wanted)).toBe(language)
      expect(localeOf(languageOf(chosen, wanted), wanted)).toBe(locale)
    },
  )
})
