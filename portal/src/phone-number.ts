/** Country codes of one and of two digits; all others have three. */
const SHORT_CODES = /^([17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/
const THREE = /^\d{3}/

/** A phone number as people read it, in groups: +1 555 123 4567. */
export function showPhone(digits: string): string {
  if (!/^\d{7,15}$/.test(digits)) return `+${digits}`
  const code = (SHORT_CODES.exec(digits) ?? THREE.exec(digits))![0]
  const groups: string[] = []
  let rest = digits.slice(code.length)
  // The last group has at least two digits.
  while (rest.length > 4) {
    groups.push(rest.slice(0, 3))
    rest = rest.slice(3)
  }
  return [`+${code}`, ...groups, rest].join(' ')
}
