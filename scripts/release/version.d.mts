export function isVersion(text: string): boolean
export function compareVersions(a: string, b: string): number
