export function ownFolder(path: string): string
