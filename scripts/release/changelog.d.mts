export function notesOf(changelog: string, version: string): string
export function withReleased(changelog: string, version: string, day: string): string
