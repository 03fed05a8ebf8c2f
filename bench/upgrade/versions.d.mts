/** The oldest commit of the same schema whose program can run beside a later one. */
export function oldestCommit(): string
/** Builds the program of a commit, or of the working copy, in a folder; `later`: tables that it adds a column to. */
export function buildVersion(folder: string, version: { commit?: string; later?: readonly string[] }): string
