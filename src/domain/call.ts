export const CALL_MEDIA = ['audio', 'video'] as const
export type CallMedia = (typeof CALL_MEDIA)[number]
