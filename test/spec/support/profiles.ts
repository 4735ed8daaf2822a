/** The URI of the Cursor Pagination profile. */
export const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

export const maxSizeExceeded = `${cursorProfile}/max-size-exceeded`

export const unsupportedSort = `${cursorProfile}/unsupported-sort`
