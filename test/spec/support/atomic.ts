/** The Atomic Operations extension, as its own page names it. */
export const atomicUri = 'https://jsonapi.org/ext/atomic'

/** The media type of its documents. */
export const atomicType = `application/vnd.api+json;ext="${atomicUri}"`
