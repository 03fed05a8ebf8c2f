/** A few short fields: nobody needs more to sign in or to change a password. */
export const FEW_FIELDS = { bodyLimit: 16_384, bodyShape: { values: 50, depth: 4 } }
