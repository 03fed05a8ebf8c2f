/** What went wrong, in words for people. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : 'Something went wrong.')
