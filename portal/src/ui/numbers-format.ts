const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)
export const shortCount = (value: number): string => short.format(value)
export const percent = (part: number, all: number): string =>
  all === 0 ? '–' : `${((100 * part) / all).toFixed(part === 0 ? 0 : 1)} %`
export const milliseconds = (value: number): string =>
  value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${whole.format(value)} ms`
