/** The Cursor Pagination profile, as its own page names it. */
export const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination'

export const maxSizeExceeded = `${cursorProfile}/max-size-exceeded`

export const unsupportedSort = `${cursorProfile}/unsupported-sort`
