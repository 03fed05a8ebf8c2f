export function ownNpmCache(folder: string): { npm_config_cache: string }
