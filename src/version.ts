export const VERSION = '0.1.0'
/** The implementation of the platform's protocol; `package.json` pins the same. */
export const LIBRARY = 'baileys 7.0.0-rc14'
