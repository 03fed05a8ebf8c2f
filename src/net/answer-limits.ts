export const MAX_HEADER_BYTES = 16_384

// Each costs as much as a whole answer, so a flood of them must end long before the limit on bytes.
export const MAX_INTERIM_ANSWERS = 20
