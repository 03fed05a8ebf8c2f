import { locale } from '../language.ts'

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const share = new Intl.NumberFormat(locale, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
const wholeShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)
export const shortCount = (value: number): string => short.format(value)
export const percent = (part: number, all: number): string =>
  all === 0 ? '–' : (part === 0 || part === all ? wholeShare : share).format(part / all)
export const fileSize = (bytes: number): string =>
  bytes >= 1e6
    ? `${tenths.format(bytes / 1e6)} MB`
    : bytes >= 1e3
      ? `${whole.format(bytes / 1e3)} KB`
      : `${whole.format(bytes)} B`
export const milliseconds = (value: number): string =>
  value >= 10_000 ? `${tenths.format(value / 1000)} s` : `${whole.format(value)} ms`
