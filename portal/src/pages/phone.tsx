export function PhonePage() {
  return null
}
